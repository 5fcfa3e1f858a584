// The older names of this module.

/// The older name of ``LogPosition``.
@available(*, deprecated, renamed: "LogPosition")
public typealias Position = LogPosition

/// The older name of ``LogPage``.
@available(*, deprecated, renamed: "LogPage")
public typealias Page = LogPage

/// The older name of ``LogSnapshot``.
@available(*, deprecated, renamed: "LogSnapshot")
public typealias Snapshot = LogSnapshot

/// The older name of ``LogLink``.
@available(*, deprecated, renamed: "LogLink")
public typealias Link = LogLink

/// The older name of ``ReplicatedTable``.
@available(*, deprecated, renamed: "ReplicatedTable")
public typealias Table = ReplicatedTable

/// The older name of ``EffectOwner``.
@available(*, deprecated, renamed: "EffectOwner")
public typealias Owner = EffectOwner

/// The older name of ``FencingToken``.
@available(*, deprecated, renamed: "FencingToken")
public typealias Token = FencingToken

/// The older name of ``SendTicket``.
@available(*, deprecated, renamed: "SendTicket")
public typealias Ticket = SendTicket

extension SharedStoreError {
  /// The older name of ``logRecreated(_:)``.
  @available(*, deprecated, renamed: "logRecreated(_:)")
  public static func anew(_ reason: String) -> SharedStoreError { .logRecreated(reason) }
}
