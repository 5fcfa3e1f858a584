/// Makes a page that shows lines of JSON.
///
/// The lines are all that it has from a program. No browser runs them, and they cannot end their
/// element, because they contain no `<`.
///
/// - Parameters:
///   - state: the name of the state's type.
///   - limit: how many commits the inspector keeps.
///   - lines: the entries.
///   - live: the address of a server that sends more; nil if none does.
/// - Returns: the page, in HTML.
func makePage(
  of state: String, limit: Int, lines: some Sequence<String> = [], live: String? = nil
) -> [UInt8] {
  let members = [
    "\"state\":\(quoted(state)),\"limit\":\(limit)",
    live.map { "\"live\":\(quoted($0))" },
  ]
  var page = Array(start(connecting: live.map(source(of:))).utf8)
  page += "{\(members.compactMap { $0 }.joined(separator: ","))}".utf8
  for line in lines {
    page.append(UInt8(ascii: "\n"))
    page += line.utf8
  }
  page += "</script>\n<script>\(script)</script>\n</body></html>\n".utf8
  return page
}

/// The page's script and style.
///
/// The build embeds them, so a program needs no file beside it.
let script = text(
  [
    PackageResources.data_js, PackageResources.state_js, PackageResources.search_js,
    PackageResources.list_js, PackageResources.detail_js, PackageResources.compare_js,
    PackageResources.swift_js, PackageResources.timeline_js, PackageResources.control_js,
  ].flatMap { $0 })
let style = text(PackageResources.page_css)
private let skeleton = text(PackageResources.skeleton_html)

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// The SHA-256 of the script and of the style.
///
/// A browser runs and applies nothing else.
private let scriptHash = sha256(Array(script.utf8))
private let styleHash = sha256(Array(style.utf8))

private func start(connecting source: String?) -> String {
  """
  <!doctype html>
  <html lang="en"><head><meta charset="utf-8"><title>Glue</title>
  <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
  script-src 'sha256-\(scriptHash)'; style-src 'sha256-\(styleHash)'; \
  worker-src blob:; connect-src \(source ?? "'none'"); base-uri 'none'; form-action 'none'">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <style>\(style)</style></head><body>
  \(skeleton)
  <script type="text/plain" id="data">
  """
}

/// The source that a page may connect to: an address's scheme, host and port, or the page's own.
///
/// It leaves out the rest of the address, which could add a directive to the policy.
private func source(of address: String) -> String {
  let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
  guard parts.count > 2, parts[1].isEmpty, parts[0] == "http:" || parts[0] == "https:" else {
    return "'self'"
  }
  let host = parts[2].prefix { $0.isASCII && ($0.isLetter || $0.isNumber || ".:-[]".contains($0)) }
  return "\(parts[0])//\(host)"
}
