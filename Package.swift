// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "TensorIO",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "TensorIO", targets: ["TensorIO"]),
    .library(name: "TensorIOLiteRT", targets: ["TensorIOLiteRT"]),
    .library(name: "TensorIOTensorFlow", targets: ["TensorIOTensorFlow"]),
    .library(name: "TensorIOImageCodecs", targets: ["TensorIOImageCodecs"]),
    .library(name: "TensorIOIsolation", targets: ["TensorIOIsolation"]),
    .library(name: "NetRunner", targets: ["NetRunner"]),
    .library(name: "NetRunnerWeb", targets: ["NetRunnerWeb"]),
    .library(
      name: "ModelRepositoryClient", targets: ["ModelRepositoryClient", "ModelRepositoryAPI"]),
    .library(
      name: "ModelRepositoryServer", targets: ["ModelRepositoryServer", "ModelRepositoryAPI"]),
    .library(name: "MLModelInterpreter", targets: ["MLModelInterpreter", "ModelRepositoryAPI"]),
    .library(name: "TensorIOCommandLine", targets: ["TensorIOCommandLine"]),
    .library(name: "TensorIOTesting", targets: ["TensorIOTesting"]),
    .executable(name: "tensorio", targets: ["tensorio"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    .target(name: "CFileCalls"),
    .target(name: "CProcessCalls"),
    .target(name: "CPixelKernels"),
    .target(name: "TensorIO", dependencies: ["CFileCalls", "CPixelKernels"]),
    .target(name: "NativeLibrary"),
    .target(name: "CLiteRT"),
    .systemLibrary(name: "CZlib"),
    .target(
      name: "TensorIOLiteRT",
      dependencies: ["TensorIO", "NativeLibrary", "CLiteRT", "CProcessCalls", "CZlib"]),
    .target(name: "TensorIOIsolation", dependencies: ["TensorIO", "CProcessCalls"]),
    .target(name: "CTensorFlow"),
    .target(
      name: "TensorIOTensorFlow",
      dependencies: [
        "TensorIO", "NativeLibrary", "CTensorFlow",
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      exclude: ["Messages/saved_model.proto"]),
    .target(
      name: "CImageCodecs",
      linkerSettings: ["jpeg", "png", "webp"].map { .linkedLibrary($0, .when(platforms: [.linux])) }
    ),
    .target(
      name: "TensorIOImageCodecs",
      dependencies: [
        "TensorIO", "CPixelKernels",
        .target(name: "CImageCodecs", condition: .when(platforms: [.linux])),
      ]),
    .systemLibrary(name: "CZip"),
    .target(name: "StoredRows", dependencies: [.product(name: "GRDB", package: "GRDB.swift")]),
    .target(
      name: "NetRunner",
      dependencies: [
        "StoredRows", "TensorIO", "TensorIOImageCodecs", "CZip",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .target(
      name: "NetRunnerWeb",
      dependencies: [
        "ModelRepositoryAPI", "ModelRepositoryClient", "NetRunner", "TensorIO",
        "TensorIOImageCodecs", "WebServing",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.copy("Assets")]),
    .target(
      name: "WebServing",
      dependencies: [
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]),
    .target(
      name: "ModelRepositoryAPI",
      dependencies: [.product(name: "Crypto", package: "swift-crypto")]),
    .target(
      name: "ModelRepositoryClient",
      dependencies: [
        "TensorIO", "ModelRepositoryAPI",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ]),
    .target(
      name: "MLModelInterpreter",
      dependencies: [
        "TensorIO", "TensorIOLiteRT", "ModelRepositoryAPI", "ModelRepositoryClient",
      ]),
    .target(
      name: "ModelRepositoryServer",
      dependencies: [
        "CFileCalls", "ModelRepositoryAPI", "StoredRows", "WebServing",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .target(name: "TensorIOTesting", dependencies: ["TensorIO"]),
    .systemLibrary(name: "CMalloc"),
    .target(
      name: "TensorIOCommandLine",
      dependencies: [
        "TensorIO", "TensorIOLiteRT", "TensorIOTensorFlow", "TensorIOImageCodecs",
        "TensorIOIsolation", "NetRunner", "NetRunnerWeb", "CMalloc", "CProcessCalls",
        "ModelRepositoryAPI", "ModelRepositoryClient",
        "ModelRepositoryServer",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .executableTarget(name: "tensorio", dependencies: ["TensorIOCommandLine"]),
    .executableTarget(
      name: "own-formats", dependencies: ["NetRunner", "TensorIO", "TensorIOCommandLine"],
      path: "Examples/OwnFormats"),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .testTarget(
      name: "TensorIOTests",
      dependencies: ["TensorIO", "TensorIOTesting", "CPixelKernels", "TestSupport"]),
    .testTarget(
      name: "TensorIOImageCodecsTests", dependencies: ["TensorIO", "TensorIOImageCodecs"]),
    .testTarget(
      name: "TensorIOLiteRTTests",
      dependencies: ["TensorIO", "TensorIOLiteRT", "TensorIOTesting", "TestSupport"]),
    .testTarget(
      name: "TensorIOIsolationTests",
      dependencies: [
        "TensorIO", "TensorIOIsolation", "TensorIOLiteRT", "TensorIOTesting", "TestSupport",
        "tensorio",
      ]),
    .testTarget(
      name: "TensorIOTensorFlowTests",
      dependencies: [
        "TensorIO", "TensorIOTensorFlow", "TensorIOTesting", "TensorIOImageCodecs", "TestSupport",
      ]),
    .testTarget(
      name: "ModelRepositoryAPITests", dependencies: ["ModelRepositoryAPI", "TestSupport"]),
    .testTarget(
      name: "ModelRepositoryClientTests",
      dependencies: [
        "ModelRepositoryClient", "ModelRepositoryAPI", "TensorIO", "TensorIOLiteRT", "TestSupport",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .testTarget(
      name: "ModelRepositoryServerTests",
      dependencies: [
        "ModelRepositoryServer", "ModelRepositoryAPI", "WebServing", "TestSupport",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
    .target(
      name: "MLKitSamples", dependencies: ["MLModelInterpreter"], path: "Tests/MLKitSamples",
      swiftSettings: [.swiftLanguageMode(.v4)]),
    .testTarget(
      name: "MLModelInterpreterTests",
      dependencies: [
        "MLKitSamples", "MLModelInterpreter", "ModelRepositoryAPI", "ModelRepositoryClient",
        "ModelRepositoryServer", "TestSupport",
      ]),
    .testTarget(
      name: "NetRunnerTests",
      dependencies: [
        "NetRunner", "TensorIO", "TensorIOImageCodecs", "TensorIOLiteRT", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "NetRunnerWebTests",
      dependencies: [
        "ModelRepositoryAPI", "ModelRepositoryClient", "ModelRepositoryServer", "NetRunner",
        "NetRunnerWeb", "TensorIO", "TensorIOImageCodecs", "TensorIOLiteRT", "TestSupport",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ]),
    .testTarget(
      name: "tensorioTests",
      dependencies: [
        "tensorio", "own-formats", "TensorIOCommandLine", "TensorIO", "TensorIOLiteRT",
        "TensorIOTensorFlow", "TensorIOImageCodecs", "TensorIOTesting", "NetRunner",
        "ModelRepositoryAPI", "TestSupport",
      ]),
  ],
  cxxLanguageStandard: .cxx17
)

for target in package.targets
where target.type != .system && target.type != .plugin && target.swiftSettings == nil {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ]
}
