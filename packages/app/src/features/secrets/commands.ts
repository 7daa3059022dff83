/** The rows of `margay secrets` in the table of commands. */
import type { CommandSpec, OptionSpec } from "../../host/cli/command.ts";

const IN_KEYRING: OptionSpec = { flags: "--keyring", about: "opt.keyring" };
const KEY: OptionSpec = { flags: "--key <kind>", about: "opt.vaultKey", choices: ["file", "passphrase", "keyring"] };

export const SECRET_COMMANDS: readonly CommandSpec[] = [
  {
    name: "secrets",
    about: "about.secrets",
    examples: [
      "printenv KEY | margay secrets set OPENAI",
      "margay config set providers.openai.apiKey '${vault:OPENAI}'",
      "margay secrets list",
    ],
  },
  {
    name: "secrets set",
    args: "<name>",
    about: "about.secrets.set",
    options: [IN_KEYRING, KEY],
    examples: ["margay secrets set OPENAI", "pass show openai | margay secrets set OPENAI --keyring"],
    load: async () => (await import("./command.ts")).setSecret,
  },
  { name: "secrets list", about: "about.secrets.list", load: async () => (await import("./command.ts")).listSecrets },
  {
    name: "secrets remove",
    args: "<name>",
    about: "about.secrets.remove",
    options: [IN_KEYRING],
    examples: ["margay secrets remove OPENAI"],
    load: async () => (await import("./command.ts")).removeSecret,
  },
  {
    name: "secrets check",
    about: "about.secrets.check",
    load: async () => (await import("./command.ts")).checkSecrets,
  },
  {
    name: "secrets rotate",
    about: "about.secrets.rotate",
    options: [KEY],
    examples: ["margay secrets rotate", "margay secrets rotate --key passphrase"],
    load: async () => (await import("./command.ts")).rotateSecrets,
  },
];
