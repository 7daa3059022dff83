// Commands as people run them: real composition and disk, a state directory of its own, and a terminal that remembers.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@margay/core";
import { onTestFinished } from "vitest";
import { compose } from "../../src/compose/compose.ts";
import { SURFACE } from "../../src/compose/surface.ts";
import { COMMANDS } from "../../src/features.ts";
import type { Terminal } from "../../src/host/cli/output.ts";
import { runCli } from "../../src/host/cli/run-cli.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Stdout as JSON lines. */
  readonly lines: readonly Record<string, unknown>[];
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** A person at the terminal who answers questions. */
  readonly person?: (question: string, signal: AbortSignal) => Promise<string | undefined>;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Called with everything on stdout so far. */
  readonly onOut?: (all: string) => void;
}

export interface Margay {
  readonly home: string;
  readonly directory: string;
  /** Writes config.json. */
  configure(config: object): void;
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>;
}

export function margay(): Margay {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-cli-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const home = join(directory, "home");
  return {
    home,
    directory,
    configure: (config) => {
      writeFileSync(join(makeHome(home), "config.json"), JSON.stringify(config), { mode: 0o600 });
    },
    run: async (argv, options = {}) => {
      let out = "";
      let err = "";
      const terminal: Terminal = {
        input: once(options.stdin ?? ""),
        inputIsTerminal: options.person !== undefined,
        piped: options.stdin === undefined ? "no" : "yes",
        leaveInput: () => {},
        interactive: options.person !== undefined,
        outputIsTerminal: false,
        color: false,
        columns: 100,
        out: (text) => {
          out += text;
          options.onOut?.(out);
        },
        err: (text) => {
          err += text;
        },
        ask: async (question, signal) => {
          err += question;
          return options.person?.(question, signal);
        },
      };
      const code = await runCli({
        argv: [...argv],
        commands: COMMANDS,
        terminal,
        environment: { env: { MARGAY_HOME: home, ...options.env }, userHome: directory, currentDirectory: directory },
        compose: (given) => compose({ ...given, ...(options.clock !== undefined && { clock: options.clock }) }),
        surface: () => Promise.resolve(SURFACE),
        writeLog: () => {},
        version: () => "1.2.3",
        signal: options.signal ?? new AbortController().signal,
      });
      return {
        code,
        out,
        err,
        get lines() {
          return out
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as Record<string, unknown>);
        },
      };
    },
  };
}

function makeHome(home: string): string {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return home;
}

async function* once(text: string): AsyncGenerator<string> {
  if (text !== "") yield text;
}

/** Configuration for the mock model on an OpenAI-compatible wire. Commands run without a sandbox and are asked for. */
export function modelConfig(url: string): object {
  return {
    model: "mock/mock-model",
    providers: { mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "test-key-for-mock" } },
    tools: { exec: { sandbox: "none" } },
  };
}
