// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "EncryptedChat",
  dependencies: [.package(name: "todo", path: "../..")],
  targets: [
    .executableTarget(
      name: "EncryptedChat",
      dependencies: [
        .product(name: "Treesystem", package: "todo"),
        .product(name: "Sharing", package: "todo"),
        .product(name: "CloudServer", package: "todo"),
      ])
  ])
