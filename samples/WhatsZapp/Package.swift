// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "WhatsZapp",
  dependencies: [.package(name: "todo", path: "../..")],
  targets: [
    .executableTarget(
      name: "WhatsZapp",
      dependencies: [
        .product(name: "Treesystem", package: "todo"),
        .product(name: "Sharing", package: "todo"),
        .product(name: "CloudServer", package: "todo"),
      ])
  ])
