/// An effect as it would be written.
func text(of effect: any Effect) -> String {
  let text = shortDescription(of: effect, limit: 200)
  return text.hasPrefix(".") ? "\(type(of: effect))\(text)" : text
}
