// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#if Servers
package import ArgumentParser
import ModelCommands
import TensorIOCommandLine

/// The command `tensorio repository`.
package struct RepositoryCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "repository", _superCommandName: "tensorio",
    abstract: "Host and publish models, and control which clients get them.",
    discussion: """
      Examples:
        tensorio repository token create publisher --scope publish --scope rollout --data models-data
        tensorio repository serve --data models-data
        tensorio repository push pets.tiobundle --model pets --as 1.0 --channel stable
        tensorio repository rollout start pets 2.0 --percent 20
        tensorio repository rollout ramp pets --percent 50
        tensorio repository pull pets --key KEY -o models

      TENSORIO_REPOSITORY and TENSORIO_REPOSITORY_TOKEN can replace --server and --token. The
      variable keeps the token out of the list of processes.
      """,
    version: Version.current,
    subcommands: [
      RepositoryServeCommand.self, RepositoryPushCommand.self, RepositoryModelsCommand.self,
      RepositoryVersionsCommand.self, RepositoryChannelCommand.self,
      RepositoryVariantsCommand.self, RepositoryRolloutCommand.self,
      RepositoryRollbackCommand.self, RepositoryWithdrawCommand.self,
      RepositoryFederatedCommand.self, RepositoryPullCommand.self, RepositoryVerifyCommand.self,
      RepositoryTokenCommand.self,
      RepositoryKeysCommand.self, RepositoryAuditCommand.self, RepositoryCollectCommand.self,
      RepositoryCheckCommand.self, RepositoryBackupCommand.self, RepositoryRestoreCommand.self,
      SessionWorkerCommand.self,
    ])

  /// Creates a command for the parser.
  package init() {}
}
#endif
