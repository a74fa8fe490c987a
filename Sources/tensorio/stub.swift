import ArgumentParser

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "inspect")
}
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "init")
}
