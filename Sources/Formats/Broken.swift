/// Why an entry is broken, where formats share the reason.
enum Broken {
  static let noDescription = "the task has no description"
}
