/** All of standard input as text. */
import { RuntimeError } from "@margay/core";
import { raceAbort, systemClock } from "@margay/core/internal";
import type { Cli } from "./command.ts";
import type { Terminal } from "./output.ts";

/** Who pipes something in has begun by then, or is slow and hears that we wait. */
const PATIENCE_MS = 3000;

export async function readAll(terminal: Terminal): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of terminal.input) chunks.push(bytesOf(chunk));
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** What nobody should see: piped in, or asked for without showing it. @returns undefined when the person cancelled. */
export async function readSecret({ terminal, signal }: Cli, question: string): Promise<string | undefined> {
  if (!terminal.inputIsTerminal) return (await readAll(terminal)).replace(/\r?\n$/, "");
  const { clackPrompts } = await import("./prompts.ts");
  return (await clackPrompts(signal)).password(question, () => undefined);
}

/**
 * What was piped in beside a message on the command line; `""` when nobody did.
 * @throws RuntimeError `usage.wrong` when it is no text.
 */
export async function readPiped({ terminal, signal, t }: Cli): Promise<string> {
  if (terminal.piped === "no") return "";
  try {
    const input = terminal.input[Symbol.asyncIterator]();
    const chunks: Uint8Array[] = [];
    let next = input.next();
    if (!(await settlesWithin(PATIENCE_MS, raceAbort(next, signal)))) {
      // A socket that nothing comes from is what a program leaves open that has nothing to say.
      terminal.err(`${t(terminal.piped === "perhaps" ? "agent.noInput" : "agent.awaitsInput")}\n`);
      if (terminal.piped === "perhaps") return "";
    }
    for (let part = await raceAbort(next, signal); part.done !== true; part = await raceAbort(next, signal)) {
      chunks.push(bytesOf(part.value));
      next = input.next();
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof TypeError) throw new RuntimeError("usage.wrong", t("usage.inputNoText"), { cause: error });
    throw error;
  } finally {
    terminal.leaveInput();
  }
}

function bytesOf(chunk: Uint8Array | string): Uint8Array {
  return typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
}

async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const late = systemClock()
    .sleep(ms, done.signal)
    .then(
      () => false,
      () => true, // it settled before
    );
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    done.abort();
  }
}
