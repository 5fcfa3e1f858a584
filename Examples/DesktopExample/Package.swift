// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "DesktopExample",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Glue", path: "../..")],
  targets: [
    .systemLibrary(name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    .target(
      name: "Downloads",
      dependencies: [
        .product(name: "Glue", package: "Glue"), .product(name: "GlueJournal", package: "Glue"),
      ]),
    .executableTarget(
      name: "DesktopExample",
      dependencies: [
        "CGtk", "Downloads", .product(name: "Glue", package: "Glue"),
        .product(name: "GlueJournal", package: "Glue"),
      ]),
    .executableTarget(
      name: "GLibProgram", dependencies: ["CGtk", .product(name: "Glue", package: "Glue")],
      path: "Tests/GLibProgram"),
    .testTarget(
      name: "DownloadsTests",
      dependencies: [
        "Downloads", .product(name: "Glue", package: "Glue"),
        .product(name: "GlueJournal", package: "Glue"),
        .product(name: "GlueTesting", package: "Glue"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
