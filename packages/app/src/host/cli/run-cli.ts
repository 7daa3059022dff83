/** argv → exit code. Everything of the process comes in as a parameter, so tests run commands as people do. */
import { resolve } from "node:path";
import { hasCode, RuntimeError, type Json } from "@margay/core";
import { createRedactor, diskError } from "@margay/core/internal";
import type { App, ComposeOptions } from "../../app.ts";
import type { LoadSurface } from "../control/surface.ts";
import type { Environment } from "../../config/environment.ts";
import { loadConfig, readConfigFile, type Loaded, type LoadOptions } from "../../config/load.ts";
import { patientLog } from "../../config/log-file.ts";
import { placesOf, type Places } from "../../config/paths.ts";
import { asTyped, commandIn } from "../../texts/command.ts";
import { languageOf, type Language } from "../../texts/text.ts";
import { translator, type Translate } from "../../texts/translate.ts";
import { EXIT, type Cli, type CommandSpec } from "./command.ts";
import { exitCode, failureText } from "./failure.ts";
import { jsonLine, type Terminal } from "./output.ts";
import { parseArguments } from "./program.ts";

export interface CliOptions {
  readonly argv: readonly string[];
  readonly commands: readonly CommandSpec[];
  readonly terminal: Terminal;
  readonly environment: Environment;
  /** Builds the app; imported only by commands that need it. */
  readonly compose: (options: ComposeOptions) => Promise<App>;
  readonly surface: LoadSurface;
  readonly writeLog: (places: Places, line: string) => void;
  readonly version: () => string;
  readonly signal: AbortSignal;
}

/** Never throws. */
export async function runCli(options: CliOptions): Promise<number> {
  const { argv, commands, terminal, environment, signal } = options;
  const { env, userHome, currentDirectory } = environment;
  const end = argv.indexOf("--");
  const flags = end < 0 ? argv : argv.slice(0, end); // what follows belongs to another program
  const places = placesOf({ flag: flagValue(flags, "--home"), env, userHome, currentDirectory });
  const languageNow = (): Language => chooseLanguage(flagValue(flags, "--lang"), places, env);
  const language = languageNow();
  const command = commandIn(env);
  const t = translator(language, command);
  let json = flags.includes("--json");
  // A vendor may quote the key it was sent, a server its environment.
  const redactor = createRedactor();
  const guarded = Object.create(terminal, {
    out: { value: (text: string) => terminal.out(redactor.redactKnown(text)) },
    err: { value: (text: string) => terminal.err(asTyped(redactor.redactKnown(text), command)) },
  }) as Terminal; // a terminal with two of its own
  try {
    refuseEmpty(flags, t);
    const chosen = await parseArguments(argv, commands, terminal, t, command);
    if (chosen?.spec.load === undefined) return EXIT.done;
    json = chosen.json;
    if (chosen.version) {
      terminal.out(json ? jsonLine({ version: options.version() }) : `${options.version()}\n`);
      return EXIT.done;
    }
    const workspace = flagValue(flags, "--workspace");
    const loadOptions = (flags: Readonly<Record<string, Json>> = {}): LoadOptions => ({
      places,
      env,
      userHome,
      // A path on the command line counts from where it was typed, one in the file from the state directory.
      flags: { ...(workspace !== undefined && { workspace: resolve(currentDirectory, workspace) }), ...flags },
      t,
    });
    const load = (flags?: Readonly<Record<string, Json>>): Loaded => {
      const loaded = loadConfig(loadOptions(flags));
      for (const secret of [...loaded.secrets, ...secretsIn(env)]) redactor.register(secret);
      return loaded;
    };
    const cli: Cli = {
      terminal: guarded,
      environment,
      places,
      language,
      command,
      t,
      json,
      signal,
      loadOptions,
      surface: options.surface,
      load,
      loadShown: (flags) => loadConfig({ ...loadOptions(flags), secrets: "left" }),
      compose: ({ flags = {}, asksAtOnce = false } = {}) =>
        options.compose({
          asksAtOnce,
          loaded: load(flags),
          language: languageNow(), // of a second life it may be another
          env,
          writeLog: patientLog(
            (text) => options.writeLog(places, text),
            (reason) => terminal.err(`${t("error.log", { log: places.log, reason })}\n`),
          ),
        }),
    };
    const run = await chosen.spec.load();
    return await run(cli, chosen.input);
  } catch (error) {
    if (signal.aborted && (error === signal.reason || hasCode(error, "turn.cancelled"))) return EXIT.interrupted;
    const shown = diskError(error, places.home) ?? error;
    const text = asTyped(
      redactor.redactKnown(failureText(shown, { language, t, home: places.home, log: places.log })),
      command,
    );
    if (json) terminal.out(jsonLine({ type: "error", ...describeError(shown, text) }));
    else terminal.err(text);
    return exitCode(shown);
  }
}

/** `--home "$UNSET"` means no folder, least of all the one somebody stands in. */
function refuseEmpty(flags: readonly string[], t: Translate): void {
  const empty = ["--home", "--workspace"].find((flag) => flagValue(flags, flag) === "");
  if (empty !== undefined)
    throw new RuntimeError("usage.wrong", t("usage.missingValue", { name: empty, command: "margay" }));
}

function describeError(error: unknown, text: string): { readonly code: string; readonly message: string } {
  const code =
    typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
      ? error.code
      : "internal.bug";
  return { code, message: text.trim() };
}

/** `--lang`, then the file as far as it can be read, then English: even "your configuration is broken" is in their language. */
function chooseLanguage(flag: string | undefined, places: Places, env: Environment["env"]): Language {
  const asked = languageOf(flag);
  if (asked !== undefined) return asked;
  try {
    const { raw, hash } = readConfigFile(places, translator("en"));
    // Before the first set-up the machine's own locale decides.
    if (hash === undefined) return languageOf(env["LC_ALL"] ?? env["LC_MESSAGES"] ?? env["LANG"]) ?? "en";
    const { language, profile } = raw;
    if (typeof language === "string") return languageOf(language) ?? "en";
    return profile === "countbot" ? "zh-CN" : "en";
  } catch {
    return "en"; // the command that needs the file reports what is wrong with it
  }
}

function flagValue(argv: readonly string[], flag: string): string | undefined {
  const index = argv.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (index < 0) return undefined;
  const word = argv[index] ?? "";
  return word === flag ? argv[index + 1] : word.slice(flag.length + 1);
}

/** Keys of providers stand in variables that the configuration need not name. */
function secretsIn(env: Environment["env"]): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE)$/.test(name) && /\d/.test(value)
      ? [value]
      : [],
  );
}
