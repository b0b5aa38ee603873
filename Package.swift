// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Settings of every target. A warning is an error.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// Where we call C, each call is marked `unsafe`. Generated protobuf code cannot be compiled this way.
let strictMemory: [SwiftSetting] = strict + [.strictMemorySafety()]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

/// A library target of ours: what it imports is what it names, and a test holds the table.
func module(_ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = strictMemory) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func suite(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The packages that we name: whoever depends on our libraries gets the versions that go with theirs.
let ranges: [Package.Dependency] = [
  .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
  .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
  .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
  .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
  .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
]

/// Exactly those of Packages.txt, whichever package brings them along. The Makefile sets the variable.
let packages =
  Context.environment["TODO_PINNED"] == nil
  ? ranges
  : try String(contentsOfFile: "\(Context.packageDirectory)/Packages.txt", encoding: .utf8)
    .split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let parts = line.split(separator: " ").map(String.init)
      return Package.Dependency.package(url: parts[0], exact: Version(stringLiteral: parts[1]))
    }

let package = Package(
  name: "todo",
  products: [
    .executable(name: "todo", targets: ["TodoCLI"]),
    .executable(name: "todo-server", targets: ["TodoServer"]),
    .executable(name: "todo-sim", targets: ["TodoSim"]),
    // With the modules whose types stand in their verbs.
    .library(name: "Treesystem", targets: ["Treesystem", "CloudAPI", "Sealing", "Signing"]),
    .library(name: "Sharing", targets: ["Sharing"]),
    .library(name: "CloudClient", targets: ["CloudClient"]),
    .library(name: "TodoCore", targets: ["TodoCore"]),
    .library(name: "CloudServer", targets: ["CloudServer"]),
  ],
  dependencies: packages,
  targets: [
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    module("Signing", ["CSodium"]),
    module("Sealing", ["CSodium", "Signing"]),
    .systemLibrary(name: "CKeyring"),
    .systemLibrary(name: "CGd", providers: [.apt(["libgd-dev"])]),
    .systemLibrary(name: "CChafa"),
    .systemLibrary(name: "CConfine"),
    module("Confined", ["CConfine"]),
    module("Pictures", ["CGd", "CChafa", "Confined"]),
    module("SealedDisk", ["Signing", "Sealing", sqlite], settings: strict),
    module("CloudAPI", ["Signing", protobuf], settings: strict),
    module("Lies", ["Signing", "CloudAPI", protobuf], settings: strict),
    module("CloudClient", ["CloudAPI", httpClient, nio, nioHTTP1]),
    module("Treesystem", ["Signing", "Sealing", "SealedDisk", "CloudAPI", grdb, protobuf], settings: strict),
    module("Sharing", ["Signing", "CloudAPI", "Treesystem", grdb, protobuf], settings: strict),
    module("Dates", []),
    .systemLibrary(name: "CICal"),
    module("Formats", ["CICal", "Confined", "Dates"]),
    module("TodoCore", ["Signing", "Dates", "CloudAPI", "Treesystem", "Sharing", grdb, protobuf], settings: strict),
    .executableTarget(
      name: "TodoCLI",
      dependencies: [
        "Signing", "Sealing", "CConfine", "CKeyring", "Pictures", "CloudAPI", "CloudClient", "Treesystem", "Sharing",
        "Dates", "Formats", "TodoCore", argumentParser,
      ],
      swiftSettings: strict),
    module(
      "CloudServer",
      [
        "Signing", "CloudAPI", hummingbird, hummingbirdCore, serviceLifecycle, unixSignals, grdb, protobuf, logging,
        nio, nioPosix, nioHTTPTypes, httpTypes,
      ]),
    .executableTarget(
      name: "TodoServer", dependencies: ["CloudAPI", "CloudServer", argumentParser], swiftSettings: strict),
    suite("CloudServerTests", ["Signing", "CloudAPI", "CloudClient", "CloudServer", "TodoServer", protobuf]),
    .target(
      name: "TreeSupport", dependencies: ["Signing", "CloudAPI", "Treesystem", "Sharing", "CloudServer", protobuf],
      swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["Signing", "CloudAPI", "TodoCore", "CloudServer", "TreeSupport"],
      swiftSettings: strict),
    .target(
      name: "Simulator",
      dependencies: [
        "Signing", "Sealing", "CloudAPI", "Lies", "CloudServer", "Treesystem", "Sharing", "Dates", "TodoCore", grdb,
        sqlite, protobuf,
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "TodoSim",
      dependencies: [
        "Signing", "Sealing", "CloudAPI", "CloudClient", "Treesystem", "Sharing", "Simulator", argumentParser,
      ],
      swiftSettings: strict),
    suite(
      "SharingTests",
      [
        "Signing", "Sealing", "CloudAPI", "Lies", "CloudServer", "Treesystem", "Sharing", "Dates", "TodoCore",
        "TodoCLI", "TestSupport",
        grdb, protobuf,
      ]),
    suite(
      "TreesystemTests",
      ["Signing", "CloudAPI", "CloudServer", "Treesystem", "Sharing", "TreeSupport", grdb, protobuf]),
    suite(
      "VectorTests",
      ["Signing", "Sealing", "CloudAPI", "Treesystem", "Sharing", "TodoCore", "TestSupport", grdb, protobuf]),
    suite(
      "TodoCoreTests",
      [
        "Signing", "Sealing", "CloudAPI", "CloudServer", "Treesystem", "Sharing", "Dates", "TodoCore",
        "Simulator", "TestSupport", grdb, protobuf,
      ]),
    suite(
      "CrashTests",
      [
        "Signing", "CloudAPI", "CloudServer", "Treesystem", "Sharing", "TodoCore", "TestSupport", "TodoCLI",
        "TodoServer",
        grdb,
      ]),
    suite(
      "LockTests",
      [
        "Signing", "Sealing", "SealedDisk", "CloudAPI", "Treesystem", "Sharing", "TodoCore", "TestSupport", "TodoCLI",
        grdb,
      ]),
    suite(
      "FileTests",
      [
        "Signing", "Sealing", "CloudAPI", "CloudServer", "Treesystem", "Sharing", "TodoCore", "TestSupport", "TodoSim",
        "TodoServer", protobuf,
      ]),
    .testTarget(
      name: "DatesTests", dependencies: ["Dates"], exclude: ["phrases.txt"], swiftSettings: strict),
    suite("FormatsTests", ["Dates", "Formats"]),
    suite("PictureTests", ["Pictures", "TodoCLI"]),
    suite("ProjectTests", []),
    suite(
      "GuideTests",
      ["Signing", "Sealing", "CloudAPI", "CloudClient", "CloudServer", "Treesystem", "Sharing", grdb]),
    suite(
      "TranscriptTests", ["Signing", "CloudAPI", "Treesystem", "Sharing", "TodoCore", "TodoCLI", "TodoServer", grdb]),
    suite(
      "TodoCLITests",
      [
        "Signing", "Sealing", "Pictures", "CloudAPI", "CloudClient", "Treesystem", "Sharing", "Dates", "Formats",
        "TodoCore", "TodoCLI", argumentParser, grdb,
      ]),
  ]
)

/// Treesystem, Sharing and the server are there for other apps too: whoever deletes the folders of this one keeps a package. A target
/// without a folder is left out, with all that depends on it.
func hasFolder(_ target: Target) -> Bool {
  let folder = "\(Context.packageDirectory)/\(target.type == .test ? "Tests" : "Sources")/\(target.name)"
  return FileManager.default.fileExists(atPath: folder)
}

var missing = Set(package.targets.filter { !hasFolder($0) }.map(\.name))
while let next = package.targets.first(where: { target in
  !missing.contains(target.name) && target.dependencies.contains { missing.contains($0.ownName) }
}) {
  missing.insert(next.name)
}
package.targets.removeAll { missing.contains($0.name) }
package.products.removeAll { product in
  let targets = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
  return !missing.isDisjoint(with: targets)
}

extension Target.Dependency {
  /// The target of ours that it is.
  var ownName: String {
    switch self {
    case .byNameItem(let name, _), .targetItem(let name, _): name
    default: ""
    }
  }
}
