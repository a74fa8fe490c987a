// swift-tools-version: 6.2

import PackageDescription

/// Returns a dependency on a library that is only needed with a trait.
func product(
  _ name: String, _ package: String, trait: String
) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: [trait]))
}

/// Returns a dependency on a library that clients of model repositories need.
func hosting(_ name: String, _ package: String) -> Target.Dependency {
  product(name, package, trait: "ModelHosting")
}

/// Returns a dependency on a library that servers need.
func serving(_ name: String, _ package: String) -> Target.Dependency {
  product(name, package, trait: "Servers")
}

/// Returns a dependency on a library that reports on services.
func observing(_ name: String, _ package: String) -> Target.Dependency {
  product(name, package, trait: "Observability")
}

let package = Package(
  name: "TensorIO",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "TensorIO", targets: ["TensorIO"]),
    .library(name: "TensorIOLiteRT", targets: ["TensorIOLiteRT"]),
    .library(name: "TensorIOTensorFlow", targets: ["TensorIOTensorFlow"]),
    .library(name: "TensorIOImageCodecs", targets: ["TensorIOImageCodecs"]),
    .library(name: "TensorIOIsolation", targets: ["TensorIOIsolation"]),
    .library(name: "TensorIODecoding", targets: ["TensorIODecoding"]),
    .library(name: "TensorIOEncoding", targets: ["TensorIOEncoding"]),
    .library(name: "NetRunner", targets: ["NetRunner"]),
    .library(name: "TensorIOCommandLine", targets: ["TensorIOCommandLine"]),
    .library(name: "TensorIOTesting", targets: ["TensorIOTesting"]),
    .executable(name: "tensorio", targets: ["tensorio"]),
    .plugin(name: "TensorIOModels", targets: ["TensorIOModels"]),
    // These need the trait ModelHosting.
    .library(
      name: "ModelRepositoryClient", targets: ["ModelRepositoryClient", "ModelRepositoryAPI"]),
    .library(name: "MLModelInterpreter", targets: ["MLModelInterpreter", "ModelRepositoryAPI"]),
    // This needs the trait Observability.
    .library(name: "TensorIOObservability", targets: ["TensorIOObservability"]),
    // These need the trait Servers.
    .library(name: "NetRunnerWeb", targets: ["NetRunnerWeb"]),
    .library(
      name: "ModelRepositoryServer", targets: ["ModelRepositoryServer", "ModelRepositoryAPI"]),
    .library(name: "NetRunnerCommandLine", targets: ["NetRunnerCommandLine"]),
    .executable(name: "tensorio-netrunner", targets: ["tensorio-netrunner"]),
    .executable(name: "tensorio-repository", targets: ["tensorio-repository"]),
  ],
  // Without a trait, SwiftPM fetches only the first package below. Overview.md explains why.
  traits: [
    .trait(
      name: "ModelHosting",
      description: "Clients of model repositories: ModelRepositoryClient, MLModelInterpreter."),
    .trait(
      name: "Observability",
      description: "TensorIOObservability: metrics, logs and traces of the runs of models."),
    .trait(
      name: "Servers", description: "Net Runner's server and the model repository's.",
      enabledTraits: ["ModelHosting", "Observability"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    // These need a trait.
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0", traits: []),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/grpc/grpc-swift-2", from: "2.4.3"),
    .package(url: "https://github.com/grpc/grpc-swift-nio-transport", from: "2.9.2"),
    .package(url: "https://github.com/grpc/grpc-swift-protobuf", from: "2.4.1"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .target(
      name: "CSystemCalls",
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    .target(name: "CPixelKernels"),
    .target(name: "Files", dependencies: ["CSystemCalls"]),
    .target(name: "TensorIO", dependencies: ["CPixelKernels", "CSystemCalls", "Files"]),
    .target(name: "NativeLibrary", dependencies: ["CSystemCalls", "TensorIO"]),
    .target(name: "Charts", dependencies: ["CSystemCalls"]),
    .target(name: "CLiteRT"),
    .systemLibrary(name: "CZlib"),
    .target(
      name: "TensorIOLiteRT",
      dependencies: ["CLiteRT", "CSystemCalls", "CZlib", "Files", "NativeLibrary", "TensorIO"]),
    .target(name: "TensorIOIsolation", dependencies: ["CSystemCalls", "TensorIO"]),
    .target(
      name: "Decoders",
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    .target(
      name: "MetricMath",
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    .target(name: "TensorIODecoding", dependencies: ["CSystemCalls", "Decoders", "TensorIO"]),
    .target(
      name: "AudioFeatures",
      linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    .target(name: "CSoundFile"),
    .target(
      name: "AudioFiles",
      dependencies: ["AudioFeatures", "CSoundFile", "Files", "NativeLibrary", "TensorIO"]),
    .target(name: "Tokenizers"),
    .target(
      name: "TensorIOEncoding",
      dependencies: ["AudioFeatures", "AudioFiles", "TensorIO", "Tokenizers"]),
    .target(name: "CTensorFlow"),
    .target(
      name: "TensorIOTensorFlow",
      dependencies: ["CSystemCalls", "CTensorFlow", "NativeLibrary", "TensorIO"]),
    .target(
      name: "CImageCodecs",
      linkerSettings: ["jpeg", "png", "webp"].map { .linkedLibrary($0, .when(platforms: [.linux])) }
    ),
    .target(
      name: "TensorIOImageCodecs",
      dependencies: [
        "CPixelKernels", "CSystemCalls", "Files", "TensorIO",
        .target(name: "CImageCodecs", condition: .when(platforms: [.linux])),
      ]),
    .systemLibrary(name: "CZip"),
    .target(name: "Hashing", dependencies: ["NativeLibrary", "TensorIO"]),
    .target(
      name: "CSQLite",
      linkerSettings: [.linkedLibrary("sqlite3", .when(platforms: [.macOS, .iOS]))]),
    .target(name: "StoredRows", dependencies: ["CSQLite", "NativeLibrary", "TensorIO"]),
    .target(
      name: "Drawings",
      dependencies: ["Charts", "TensorIO", "TensorIODecoding", "TensorIOImageCodecs"]),
    .target(
      name: "NetRunner",
      dependencies: [
        "CSystemCalls", "CZip", "Charts", "Drawings", "Files", "Hashing", "MetricMath",
        "NativeLibrary",
        "StoredRows", "TensorIO", "TensorIODecoding", "TensorIOEncoding", "TensorIOImageCodecs",
      ]),
    .target(name: "TensorIOTesting", dependencies: ["TensorIO"]),
    .target(
      name: "ModelTools",
      dependencies: [
        "Charts", "TensorIO", "TensorIODecoding", "TensorIOEncoding", "TensorIOImageCodecs",
        "TensorIOLiteRT", "TensorIOTensorFlow",
      ]),
    .target(
      name: "ModelCommands",
      dependencies: [
        "CSystemCalls", "Charts", "Drawings", "Files", "ModelTools", "TensorIO", "TensorIODecoding",
        "TensorIOEncoding", "TensorIOImageCodecs", "TensorIOIsolation", "TensorIOLiteRT",
        "TensorIOTensorFlow",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(name: "WorkerProtocol", dependencies: ["ModelTools", "TensorIO"]),
    .target(name: "SwiftGeneration", dependencies: ["TensorIO"]),
    .executableTarget(
      name: "tensorio-generator", dependencies: ["CSystemCalls", "SwiftGeneration", "TensorIO"]),
    .plugin(
      name: "TensorIOModels", capability: .buildTool(), dependencies: ["tensorio-generator"]),
    .target(name: "CCurl"),
    .target(
      name: "TensorIOCommandLine",
      dependencies: [
        "AudioFiles", "CCurl", "CSystemCalls", "Files", "Hashing", "ModelCommands", "ModelTools",
        "NativeLibrary", "NetRunner", "StoredRows", "SwiftGeneration", "TensorIO",
        "TensorIODecoding", "TensorIOEncoding", "TensorIOImageCodecs", "TensorIOIsolation",
        "TensorIOLiteRT", "TensorIOTensorFlow", "WorkerProtocol",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(name: "tensorio", dependencies: ["TensorIOCommandLine"]),

    // MARK: Observability
    .target(
      name: "TensorIOObservability",
      dependencies: [
        "TensorIO",
        observing("Logging", "swift-log"),
        observing("Metrics", "swift-metrics"),
        observing("Tracing", "swift-distributed-tracing"),
      ]),

    // MARK: Model hosting
    .target(
      name: "WebClient",
      dependencies: [
        hosting("AsyncHTTPClient", "async-http-client"),
        hosting("NIOCore", "swift-nio"),
        hosting("NIOHTTP1", "swift-nio"),
        hosting("NIOPosix", "swift-nio"),
        hosting("NIOSSL", "swift-nio-ssl"),
      ]),
    .target(
      name: "ModelRepositoryAPI",
      dependencies: [hosting("Crypto", "swift-crypto")]),
    .target(
      name: "FederatedRounds", dependencies: ["ModelRepositoryAPI", "TensorIO"]),
    .target(
      name: "ModelRepositoryClient",
      dependencies: [
        "FederatedRounds", "Files", "TensorIO", "ModelRepositoryAPI", "WebClient",
        hosting("AsyncHTTPClient", "async-http-client"),
        hosting("Crypto", "swift-crypto"),
        hosting("NIOCore", "swift-nio"),
        hosting("NIOHTTP1", "swift-nio"),
        hosting("NIOSSL", "swift-nio-ssl"),
      ]),
    .target(
      name: "MLModelInterpreter",
      dependencies: ["TensorIO", "TensorIOLiteRT", "ModelRepositoryAPI", "ModelRepositoryClient"]),

    // MARK: Servers
    .target(
      name: "WebServing",
      dependencies: [
        "CSystemCalls",
        serving("HTTPTypes", "swift-http-types"),
        serving("Hummingbird", "hummingbird"),
        serving("HummingbirdCore", "hummingbird"),
        serving("HummingbirdTLS", "hummingbird"),
        serving("Logging", "swift-log"),
        serving("NIOCore", "swift-nio"),
        serving("NIOHTTP1", "swift-nio"),
        serving("NIOHTTPTypesHTTP1", "swift-nio-extras"),
        serving("NIOPosix", "swift-nio"),
        serving("NIOSSL", "swift-nio-ssl"),
        serving("ServiceLifecycle", "swift-service-lifecycle"),
        serving("UnixSignals", "swift-service-lifecycle"),
      ]),
    .target(
      name: "OpenInferenceGRPC",
      dependencies: [
        "WebServing",
        serving("GRPCCore", "grpc-swift-2"),
        serving("GRPCNIOTransportHTTP2Posix", "grpc-swift-nio-transport"),
        serving("GRPCProtobuf", "grpc-swift-protobuf"),
        serving("Logging", "swift-log"),
        serving("NIOCore", "swift-nio"),
        serving("NIOPosix", "swift-nio"),
        serving("ServiceLifecycle", "swift-service-lifecycle"),
        serving("SwiftProtobuf", "swift-protobuf"),
      ],
      exclude: ["Protocol"]),
    .target(
      name: "NetRunnerWeb",
      dependencies: [
        "AudioFiles", "CZip", "Files", "ModelRepositoryAPI", "ModelRepositoryClient", "NetRunner",
        "OpenInferenceGRPC", "TensorIO", "TensorIODecoding", "TensorIOEncoding",
        "TensorIOImageCodecs", "WebClient",
        "WebServing",
        serving("AsyncHTTPClient", "async-http-client"),
        serving("Crypto", "swift-crypto"),
        serving("HTTPTypes", "swift-http-types"),
        serving("Hummingbird", "hummingbird"),
        serving("HummingbirdCore", "hummingbird"),
        serving("Logging", "swift-log"),
        serving("NIOCore", "swift-nio"),
        serving("NIOHTTP1", "swift-nio"),
        serving("NIOPosix", "swift-nio"),
        serving("NIOSSL", "swift-nio-ssl"),
        serving("ServiceLifecycle", "swift-service-lifecycle"),
      ],
      resources: [.copy("Assets")]),
    .target(
      name: "ModelRepositoryServer",
      dependencies: [
        "FederatedRounds", "Files", "ModelRepositoryAPI", "StoredRows", "TensorIO", "WebClient",
        "WebServing",
        serving("AsyncHTTPClient", "async-http-client"),
        serving("Crypto", "swift-crypto"),
        serving("GRDB", "GRDB.swift"),
        serving("HTTPTypes", "swift-http-types"),
        serving("Hummingbird", "hummingbird"),
        serving("HummingbirdCore", "hummingbird"),
        serving("Logging", "swift-log"),
        serving("NIOCore", "swift-nio"),
        serving("NIOHTTP1", "swift-nio"),
        serving("NIOHTTPTypes", "swift-nio-extras"),
        serving("NIOPosix", "swift-nio"),
        serving("ServiceLifecycle", "swift-service-lifecycle"),
      ],
      resources: [.copy("Assets")]),
    .target(
      name: "ServerCommandLine",
      dependencies: [
        "ModelCommands", "TensorIO", "WebServing",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        serving("Logging", "swift-log"),
      ]),
    .target(
      name: "NetRunnerCommandLine",
      dependencies: [
        "CSystemCalls", "ModelCommands", "ModelRepositoryAPI", "ModelRepositoryClient", "NetRunner",
        "NetRunnerWeb", "ServerCommandLine", "TensorIO", "TensorIOCommandLine", "TensorIOLiteRT",
        "WebClient",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(
      name: "ModelRepositoryCommandLine",
      dependencies: [
        "FederatedRounds", "Files", "ModelCommands", "ModelRepositoryAPI", "ModelRepositoryClient",
        "ModelRepositoryServer", "ModelTools", "NetRunner", "ServerCommandLine", "TensorIO",
        "TensorIOCommandLine", "WebClient",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "tensorio-netrunner", dependencies: ["NetRunnerCommandLine", "TensorIOCommandLine"]),
    .executableTarget(
      name: "tensorio-repository",
      dependencies: ["ModelRepositoryCommandLine", "TensorIOCommandLine"]),
    .executableTarget(
      name: "tensorio-completions",
      dependencies: [
        "ModelRepositoryCommandLine", "NetRunnerCommandLine", "TensorIOCommandLine",
      ]),
    .executableTarget(
      name: "own-formats",
      dependencies: ["NetRunner", "NetRunnerCommandLine", "TensorIO", "TensorIOCommandLine"],
      path: "Examples/OwnFormats"),
    .executableTarget(
      name: "classify", dependencies: ["TensorIO", "TensorIOImageCodecs", "TensorIOLiteRT"],
      path: "Examples/Classify"),
    .executableTarget(
      name: "typed-digits", dependencies: ["TensorIO", "TensorIOImageCodecs", "TensorIOLiteRT"],
      path: "Examples/TypedDigits", resources: [.copy("digits.tiobundle")],
      plugins: ["TensorIOModels"]),
    .executableTarget(
      name: "train-digits",
      dependencies: ["TensorIO", "TensorIOImageCodecs", "TensorIOTensorFlow"],
      path: "Examples/TrainDigits"),
    .executableTarget(
      name: "classification-server",
      dependencies: [
        "TensorIO", "TensorIOImageCodecs", "TensorIOLiteRT", "TensorIOObservability",
        serving("HTTPTypes", "swift-http-types"),
        serving("Hummingbird", "hummingbird"),
        serving("Logging", "swift-log"),
        serving("NIOCore", "swift-nio"),
      ],
      path: "Examples/ClassificationServer"),

    // MARK: Tests
    .target(name: "TestSupport", dependencies: ["TensorIO"], path: "Tests/TestSupport"),
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
    .testTarget(name: "MetricMathTests", dependencies: ["MetricMath"]),
    .testTarget(name: "DecodersTests", dependencies: ["Decoders", "TestSupport"]),
    .testTarget(
      name: "TensorIODecodingTests",
      dependencies: [
        "TensorIO", "TensorIODecoding", "TensorIOImageCodecs", "TensorIOLiteRT", "TensorIOTesting",
        "TestSupport",
      ]),
    .testTarget(name: "AudioFeaturesTests", dependencies: ["AudioFeatures", "TestSupport"]),
    .testTarget(
      name: "AudioFilesTests", dependencies: ["AudioFiles", "TensorIO", "TestSupport"]),
    .testTarget(
      name: "TensorIOEncodingTests",
      dependencies: ["AudioFeatures", "TensorIO", "TensorIOEncoding", "TensorIOLiteRT"]),
    .testTarget(name: "TokenizersTests", dependencies: ["TestSupport", "Tokenizers"]),
    .testTarget(name: "ChartsTests", dependencies: ["Charts"]),
    .testTarget(name: "HashingTests", dependencies: ["Hashing"]),
    .testTarget(
      name: "WorkerProtocolTests", dependencies: ["TensorIO", "TestSupport", "WorkerProtocol"]),
    .testTarget(name: "StoredRowsTests", dependencies: ["StoredRows", "TestSupport"]),
    .testTarget(
      name: "SwiftGenerationTests",
      dependencies: [
        "SwiftGeneration", "TensorIO", "TensorIODecoding", "TensorIOEncoding",
        "TensorIOImageCodecs", "TensorIOLiteRT", "TensorIOTensorFlow", "TestSupport",
      ]),
    .testTarget(
      name: "NetRunnerTests",
      dependencies: [
        "Files", "NetRunner", "StoredRows", "TensorIO", "TensorIODecoding", "TensorIOImageCodecs",
        "TensorIOLiteRT", "TestSupport",
      ]),
    .testTarget(
      name: "tensorioTests",
      dependencies: [
        "tensorio", "tensorio-generator", "tensorio-netrunner", "tensorio-repository",
        "own-formats",
        "classify",
        "typed-digits",
        "CSystemCalls", "ModelCommands", "ModelTools", "TensorIOCommandLine", "TensorIO",
        "TensorIODecoding",
        "TensorIOLiteRT",
        "TensorIOTensorFlow", "TensorIOImageCodecs", "TensorIOTesting", "NetRunner",
        "ModelRepositoryAPI",
        "ModelRepositoryCommandLine", "TensorIOIsolation", "TestSupport", "WorkerProtocol",
      ]),
    .testTarget(
      name: "TensorIOObservabilityTests",
      dependencies: [
        "TensorIO", "TensorIOImageCodecs", "TensorIOLiteRT", "TensorIOObservability", "TestSupport",
        "classification-server",
        observing("InMemoryTracing", "swift-distributed-tracing"),
        observing("Logging", "swift-log"),
        observing("MetricsTestKit", "swift-metrics"),
        observing("Tracing", "swift-distributed-tracing"),
      ]),
    .testTarget(
      name: "FederatedRoundsTests",
      dependencies: ["FederatedRounds", "ModelRepositoryAPI", "TensorIO", "TestSupport"]),
    .testTarget(
      name: "ModelRepositoryAPITests", dependencies: ["ModelRepositoryAPI", "TestSupport"]),
    .testTarget(
      name: "ModelRepositoryClientTests",
      dependencies: [
        "Files", "ModelRepositoryClient", "ModelRepositoryAPI", "TensorIO", "TensorIOLiteRT",
        "TestSupport", "WebClient",
        hosting("NIOCore", "swift-nio"),
        hosting("NIOHTTP1", "swift-nio"),
        hosting("NIOPosix", "swift-nio"),
        hosting("NIOSSL", "swift-nio-ssl"),
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
      name: "ModelRepositoryServerTests",
      dependencies: [
        "FederatedRounds", "ModelRepositoryServer", "ModelRepositoryAPI", "TensorIO", "WebClient",
        "WebServing", "TestSupport",
        serving("AsyncHTTPClient", "async-http-client"),
        serving("GRDB", "GRDB.swift"),
        serving("HTTPTypes", "swift-http-types"),
        serving("Hummingbird", "hummingbird"),
        serving("HummingbirdTesting", "hummingbird"),
        serving("Logging", "swift-log"),
        serving("NIOCore", "swift-nio"),
        serving("NIOHTTP1", "swift-nio"),
        serving("NIOHTTPTypesHTTP1", "swift-nio-extras"),
        serving("NIOPosix", "swift-nio"),
        serving("NIOSSL", "swift-nio-ssl"),
      ]),
    .testTarget(
      name: "OpenInferenceGRPCTests",
      dependencies: ["OpenInferenceGRPC", serving("GRPCCore", "grpc-swift-2")]),
    .testTarget(
      name: "NetRunnerWebTests",
      dependencies: [
        "Files", "ModelRepositoryAPI", "ModelRepositoryClient", "ModelRepositoryServer",
        "NetRunner", "NetRunnerWeb", "TensorIO", "TensorIOImageCodecs", "TensorIOLiteRT",
        "TestSupport", "WebClient",
        serving("HTTPTypes", "swift-http-types"),
        serving("Hummingbird", "hummingbird"),
        serving("HummingbirdTesting", "hummingbird"),
        serving("Logging", "swift-log"),
        serving("NIOCore", "swift-nio"),
        serving("NIOPosix", "swift-nio"),
        serving("NIOSSL", "swift-nio-ssl"),
      ]),
  ],
  cxxLanguageStandard: .cxx17
)

// The Makefile's release builds set this. The time of small modules is spent in other modules, so they
// are optimized for size. Cold modules, which have no loops over many values and don't run at every
// start, also do without functions of the standard library that are specialized for their types. That
// saves a tenth of the build's time. SwiftPM doesn't accept such flags in packages that others depend
// on, so other builds are without them.
let coldModules: Set = [
  "Charts", "Drawings", "ModelTools", "SwiftGeneration", "TensorIOEncoding", "TensorIOIsolation",
  "WorkerProtocol",
]
let smallModules: Set = [
  "AudioFiles", "ModelCommands", "NetRunner", "StoredRows", "TensorIOCommandLine",
  "TensorIODecoding", "TensorIOLiteRT", "TensorIOTensorFlow", "Tokenizers",
]
let isSmallBuild = Context.environment["TENSORIO_SMALL_BUILD"] == "1"

// The debug builds of `make test` and `make check` set this. They optimize the modules that only compute,
// because the tests would otherwise spend minutes there.
let computingModules: Set = ["AudioFeatures", "Decoders", "MetricMath", "Tokenizers"]
let isTestBuild = Context.environment["TENSORIO_TEST_BUILD"] == "1"

for target in package.targets
where target.type != .system && target.type != .plugin && target.swiftSettings == nil {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ]
  if isSmallBuild, coldModules.union(smallModules).contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-Osize"]))
  }
  if isTestBuild, computingModules.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"]))
  }
  if isSmallBuild, coldModules.contains(target.name) {
    target.swiftSettings?.append(
      .unsafeFlags(["-Xllvm", "-sil-disable-pass=generic-specializer"]))
  }
}
