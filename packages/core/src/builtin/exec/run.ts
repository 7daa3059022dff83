// Waits for a supervised command, live or found again after a crash, and words what came of it.
import type { ToolContext, ToolResult } from "../../contract/tool.ts";
import { followFiles } from "../../machine/files/follow-files.ts";
import { OUTPUT_FILES, type CommandEnd, type RunningCommand } from "../../machine/process/supervisor.ts";
import { errorText } from "../../tools/define.ts";
import type { SandboxHold } from "../../machine/sandbox/sandbox.ts";
import { type CommandDoor, saysNoNetwork } from "./network.ts";
import { createCapture, formatOutput, type Capture } from "./output.ts";
import { createProgress } from "./progress.ts";
import { createStandingDeadline } from "./standing-deadline.ts";

const INTERRUPTED = "Interrupted by a restart: it may or may not have taken effect. Check before you repeat it.";
const TOO_MUCH = "Error: exec was stopped: its output passed 4 GB. Next: write less, or send the output to a file.";

export interface WaitOptions {
  /** Holds the output files of the call. */
  readonly directory: string;
  readonly timeoutSeconds: number;
  readonly maxOutputChars: number;
  /** Of the sandbox, when the command runs in one. */
  readonly hold: SandboxHold | undefined;
  /** Its way out. `none`: it has none, and could have one. Absent: there is nothing to say about that. */
  readonly network?: CommandDoor | "none";
  /** Before the output is cut. */
  readonly redact?: (text: string) => string;
}

/**
 * Until the command and everything it started is gone.
 * @throws `context.signal.reason` after the command was killed for it.
 */
export async function waitForCommand(
  command: RunningCommand,
  options: WaitOptions,
  context: ToolContext,
): Promise<ToolResult> {
  const capture = (): Capture => createCapture(options.maxOutputChars, options.redact);
  const captures = { stdout: capture(), stderr: capture() };
  const tooMuch = Promise.withResolvers<TooMuch>();
  const progress = createProgress(context);
  const of = (name: string): Capture => captures[name === "stdout" ? "stdout" : "stderr"];
  const follower = followFiles(options.directory, OUTPUT_FILES, {
    onBytes: (name, bytes) => progress.add(of(name).push(bytes)),
    onSkipped: (name, bytes) => of(name).skip(bytes),
    onOverflow: () => tooMuch.resolve({ tooMuch: TOO_MUCH }),
  });
  void options.hold?.exceeded.then((reason) =>
    tooMuch.resolve({ tooMuch: `Error: exec was stopped: ${reason}. Next: work in smaller steps.` }),
  );
  let end: Ending;
  try {
    end = await endOf(command, tooMuch, options, context);
    await command.sweep();
    await follower.finish();
  } finally {
    follower.close();
    progress.end();
  }
  captures.stdout.end();
  captures.stderr.end();
  const printed = formatOutput(captures.stdout, captures.stderr, options.maxOutputChars);
  // Not what the program has shown itself.
  const refusals = (typeof options.network === "object" ? options.network.refusals() : []).filter(
    (line) => !printed.includes(line),
  );
  return result(end, `${printed}${refusals.map((line) => `${line}\n`).join("")}`, options);
}

const HAD_NO_NETWORK = "This command had no network. Next: repeat it with network: true.";

/** The text that says of what. */
interface TooMuch {
  readonly tooMuch: string;
}
type Ending = CommandEnd & Partial<TooMuch>;

/** The first cause wins: its own end, its deadline, a stop by the person, too much of something. */
async function endOf(
  command: RunningCommand,
  { promise: tooMuch }: PromiseWithResolvers<TooMuch>,
  { network }: Pick<WaitOptions, "network">,
  context: ToolContext,
): Promise<Ending> {
  const waiting = new AbortController();
  const standing = typeof network === "object" ? network.deadline : createStandingDeadline(context.clock);
  const deadline = standing.reached(command.intent.deadline, waiting.signal).then(
    () => "timeout" as const,
    () => "none" as const,
  );
  const aborted = Promise.withResolvers<"aborted">();
  const onAbort = (): void => aborted.resolve("aborted");
  context.signal.addEventListener("abort", onAbort, { once: true });
  if (context.signal.aborted) onAbort();
  try {
    const first = await Promise.race([command.ended, deadline, aborted.promise, tooMuch]);
    if (first === "timeout" || first === "none") return await command.stop("timeout");
    if (first !== "aborted") return "tooMuch" in first ? { ...(await command.stop("stopped")), ...first } : first;
    await command.stop("stopped");
    throw context.signal.reason;
  } finally {
    context.signal.removeEventListener("abort", onAbort);
    waiting.abort(new Error("ended"));
  }
}

function result(end: Ending, output: string, options: WaitOptions): ToolResult {
  const isForWantOfNetwork = options.network === "none" && saysNoNetwork(output);
  if (end.tooMuch !== undefined) return errorText(`${end.tooMuch}\n${output}`.trimEnd());
  if (end.cause === "timeout") {
    const seconds = options.timeoutSeconds;
    if (isForWantOfNetwork)
      return errorText(
        `Error: exec timed out after ${seconds} seconds. ${HAD_NO_NETWORK}\n${output}${codeLine(end)}`.trimEnd(),
      );
    const next = seconds < 3_600 ? "set a longer timeout (up to 3600) or split the work" : "split the work";
    return errorText(
      `Error: exec timed out after ${seconds} seconds. Next: ${next}.\n${output}${codeLine(end)}`.trimEnd(),
    );
  }
  if (end.status === "lost") {
    const text = `${INTERRUPTED}\n${output}`.trimEnd();
    return { parts: [{ type: "text", text }], isError: true, status: "interrupted" };
  }
  return {
    parts: [
      {
        type: "text",
        text: `${output}${codeLine(end)}${end.code !== 0 && isForWantOfNetwork ? `\n${HAD_NO_NETWORK}` : ""}`,
      },
    ],
    details: { exitCode: end.code },
    ...(end.code !== 0 && { isError: true }),
  };
}

function codeLine(end: CommandEnd): string {
  return end.status === "exited" ? `Exit code: ${end.code}` : "";
}
