internal import GlueDescribing

/// An intent, an effect or another value in one line, as a test would write it.
func text(of value: Any) -> String { GlueDescribing.text(of: value) }

/// A number with its noun.
package func count(_ number: Int, _ noun: String) -> String {
  number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
}

/// Lines, indented under the one that introduces them.
func indented(_ lines: [String]) -> String {
  lines.map { "\n  \($0)" }.joined()
}
