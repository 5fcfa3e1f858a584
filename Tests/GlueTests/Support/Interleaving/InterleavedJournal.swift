import Glue

/// Which intents were reduced, in order, and the last of those that changed each part.
///
/// It is not `Equatable`, so that a subscriber to all of it gets each commit.
struct Journal: Sendable {
  var commits: [Int] = []
  var left = 0
  var right = 0
}

struct Move: Intent, Equatable {
  let number: Int
  let changesLeft: Bool
  let changesRight: Bool
  let sounds: [Pitch]

  func numberOfSound(_ index: Int) -> Int { number * 10 + index }
}

enum Pitch: Equatable { case high, low }

protocol Sound: Effect {
  var number: Int { get }
}

struct High: Sound { let number: Int }

struct Low: Sound { let number: Int }

@Sendable
func journal(state: inout Journal, move: Move) -> [any Effect] {
  state.commits.append(move.number)
  if move.changesLeft { state.left = move.number }
  if move.changesRight { state.right = move.number }
  return move.sounds.enumerated().map { index, pitch in
    let number = move.numberOfSound(index)
    return pitch == .high ? High(number: number) : Low(number: number)
  }
}

/// Handles sounds of either pitch.
final class SoundHandler: EffectHandler {
  typealias Handle = @Sendable (any Sound, @escaping DispatchFunc) -> Void

  private let handle: Handle

  init(_ handle: @escaping Handle) { self.handle = handle }

  func handle(effect: any Effect, dispatch: @escaping DispatchFunc) {
    if let sound = effect as? any Sound { handle(sound, dispatch) }
  }
}
