// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "TensorIO", path: "..")],
  targets: [
    .target(name: "CBaseline", linkerSettings: [.linkedLibrary("jpeg")]),
    .executableTarget(
      name: "tensorio-benchmarks",
      dependencies: [
        "CBaseline",
        .product(name: "TensorIO", package: "TensorIO"),
        .product(name: "TensorIOLiteRT", package: "TensorIO"),
        .product(name: "TensorIOImageCodecs", package: "TensorIO"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
    // The decoders are only visible in their own package, so their sources are built here, too.
    .target(
      name: "DecodersUnderTest", path: "Sources/Decoders",
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    .executableTarget(
      name: "tensorio-decoding", dependencies: ["DecodersUnderTest"],
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
    .executableTarget(
      name: "tensorio-training",
      dependencies: [
        "CBaseline",
        .product(name: "TensorIO", package: "TensorIO"),
        .product(name: "TensorIOTensorFlow", package: "TensorIO"),
        .product(name: "TensorIOImageCodecs", package: "TensorIO"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
    .executableTarget(
      name: "tensorio-throughput",
      dependencies: [
        .product(name: "TensorIO", package: "TensorIO"),
        .product(name: "TensorIOLiteRT", package: "TensorIO"),
        .product(name: "TensorIOImageCodecs", package: "TensorIO"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
  ]
)
