// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "DatabaseExample",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Glue", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "DatabaseExample",
      dependencies: [
        .product(name: "Glue", package: "Glue"),
        .product(name: "GlueConsole", package: "Glue"),
        .product(name: "GlueJournal", package: "Glue"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "DatabaseExampleTests",
      dependencies: [
        "DatabaseExample",
        .product(name: "Glue", package: "Glue"),
        .product(name: "GlueJournal", package: "Glue"),
        .product(name: "GlueTesting", package: "Glue"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
