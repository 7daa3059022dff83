/** A kit without colors, and a chat in a real terminal (tmux). */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { COMPILED } from "@margay/core/internal/testing";
import * as pi from "@earendil-works/pi-tui";
import { chatTexts } from "../../src/host/tui/texts.ts";
import type { Language } from "../../src/texts/text.ts";
import type { Kit } from "../../src/host/tui/layout/kit.ts";
import { createStyle } from "../../src/host/tui/style.ts";

export function kit(language: Language, color = false): Kit {
  return { pi, style: createStyle(color), texts: chatTexts(language) };
}

export const HAS_TMUX: boolean = spawnSync("tmux", ["-V"]).status === 0;

export interface ChatOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly language?: Language;
  readonly model?: "practice" | "scripted";
  readonly session?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Goes on in a directory that was used before. */
  readonly directory?: string;
  readonly files?: Readonly<Record<string, string>>;
}
export interface TerminalChat extends AsyncDisposable {
  readonly directory: string;
  /** Literal text, as a person types it. */
  type(text: string): void;
  /** `Enter`, `Escape`, `C-c`… */
  press(...keys: string[]): void;
  /** Writes a file beside the workspace: `script`, `go`. */
  put(name: string, content: string): void;
  screen(): string;
  /** With everything that scrolled away. */
  everything(): string;
  resize(columns: number, rows: number): void;
  /** Resolves with the screen when it shows the text; fails with the last screen otherwise. */
  shows(expected: string | RegExp): Promise<string>;
  /** Until the screen does not show it any more. */
  loses(unexpected: string | RegExp): Promise<string>;
  /** Until the screen is another one. */
  changes(from: string): Promise<string>;
  /** As a terminal pastes, in brackets. */
  paste(text: string): void;
  /** Whether the bell rang. */
  rang(): boolean;
  /** The program's process id. */
  pid(): number;
}

/** The chat as a command line: for a shell that somebody types into. */
export function chatCommand(directory: string): string {
  return `${process.execPath} --conditions=margay-source ${PROGRAM} ${directory}`;
}

const PROGRAM = join(dirname(fileURLToPath(import.meta.url)), "chat-program.ts");
const DEADLINE_MS = 30_000;
let count = 0;

/** Starts `chat-program.ts`, or any command, in a terminal of its own. */
export function startInTerminal(
  options: ChatOptions = {},
  command?: (directory: string) => readonly string[],
): TerminalChat {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), "margay-tui-"));
  mkdirSync(join(directory, "workspace"), { recursive: true });
  for (const [name, content] of Object.entries(options.files ?? {}))
    writeFileSync(join(directory, "workspace", name), content);
  const server = `margay-${process.pid}-${(count += 1)}`;
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-L", server, "-u", "-f", "/dev/null", ...args], { encoding: "utf8" });
  const argv = command?.(directory) ?? [
    process.execPath,
    "--conditions=margay-source",
    PROGRAM,
    directory,
    options.language ?? "en",
    options.model ?? "practice",
    options.session ?? "cli:direct",
  ];
  const variables = Object.entries({ ...COMPILED, ...options.environment }).map(([name, value]) => `${name}=${value} `);
  const line = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  // The shell stays, so that what the program leaves behind can be read; `stty -a` tells whether the terminal was given back.
  tmux(
    "new-session",
    "-d",
    "-x",
    String(options.columns ?? 80),
    "-y",
    String(options.rows ?? 24),
    `env -u NO_COLOR TERM=screen-256color LANG=C.UTF-8 ${variables.join("")}${line} 2>'${directory}/errors'; echo "exit code $?"; stty -a | grep -o -- '-\\?icanon'; cat '${directory}/errors'; exec sleep 1000`,
  );
  tmux("set-option", "-g", "history-limit", "5000");
  tmux("set-option", "-g", "monitor-bell", "on");

  const screen = (): string => tmux("capture-pane", "-p");
  const until = async (fits: (text: string) => boolean, wanted: string): Promise<string> => {
    const end = performance.now() + DEADLINE_MS;
    for (;;) {
      const text = screen();
      if (fits(text)) return text;
      if (performance.now() > end) throw new Error(`The terminal does not show ${wanted}. It shows:\n${text}`);
      await new Promise((resolve) => setTimeout(resolve, 25)); // another process draws it: there is no event to wait for
    }
  };
  // Where a line was wrapped is the terminal's business.
  const tight = (text: string): string => text.replace(/\s+/g, "");
  const has = (text: string, part: string | RegExp): boolean =>
    typeof part === "string" ? tight(text).includes(tight(part)) : part.test(text);
  const children = (): readonly number[] => {
    const shell = tmux("list-panes", "-F", "#{pane_pid}").trim();
    return spawnSync("pgrep", ["-P", shell], { encoding: "utf8" })
      .stdout.trim()
      .split("\n")
      .filter((line) => line !== "")
      .map(Number);
  };
  return {
    directory,
    type: (text) => void tmux("send-keys", "-l", "--", text),
    press: (...keys) => void tmux("send-keys", ...keys),
    put: (name, content) => writeFileSync(join(directory, name), content),
    screen,
    everything: () => tmux("capture-pane", "-p", "-S", "-"),
    resize: (columns, rows) => void tmux("resize-window", "-x", String(columns), "-y", String(rows)),
    shows: (expected) => until((text) => has(text, expected), String(expected)),
    loses: (unexpected) => until((text) => !has(text, unexpected), `no ${String(unexpected)}`),
    changes: (from) => until((text) => text !== from, "anything new"),
    paste: (text) => {
      tmux("set-buffer", "--", text);
      tmux("paste-buffer", "-p");
    },
    rang: () => tmux("display-message", "-p", "#{window_bell_flag}").trim() === "1",
    pid: () => children()[0] ?? 0,
    async [Symbol.asyncDispose]() {
      const left = children();
      spawnSync("tmux", ["-L", server, "kill-server"]);
      // The hang-up ends the program in order; the directory is its until then.
      const end = performance.now() + DEADLINE_MS;
      while (left.some(isAlive) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
      if (options.directory === undefined) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // there is no such process any more
  }
}
