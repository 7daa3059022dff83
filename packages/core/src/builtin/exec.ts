// `exec`: one shell command, one result, whatever happens to margay meanwhile (R103–R109).
import { join } from "node:path";
import type { Json, JsonObject } from "../contract/base.ts";
import type { Tool, ToolContext, ToolResult } from "../contract/tool.ts";
import { namesSensitivePath } from "../lib/sensitive-path.ts";
import { openWorkingDirectory, type OpenedDirectory } from "../platform/working-directory.ts";
import { recoverCommand, startCommand, type RunningCommand } from "../platform/supervisor.ts";
import { shellPath } from "../platform/shell-path.ts";
import type { Sandbox, SandboxHold } from "../sandbox/sandbox.ts";
import { defineTool, errorText, toolError } from "../tools/define.ts";
import { commandEnvironment } from "./exec-environment.ts";
import { deniedText } from "../lib/denied-text.ts";
import { classifyCommand, compileLists, notAllowedText, type ExecLists } from "./exec-lists.ts";
import { createTidy } from "./exec-tidy.ts";
import { waitForCommand, type WaitOptions } from "./exec-run.ts";
import type { Undo } from "./undo/undo.ts";
import { asUntrusted, withConfidentiality } from "./untrusted.ts";

export interface ExecInput {
  readonly command: string;
  readonly working_dir?: string;
  readonly timeout?: number;
}

export interface ExecOptions {
  /** Intents, outputs and receipts, `{session}/{call}/`: in the state directory, out of reach of every tool. */
  readonly directory: string;
  /** margay's own environment, of which a fixed list of names is passed on. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `tools.exec.env`: more names to pass on. */
  readonly env?: readonly string[];
  readonly pathAppend?: string;
  readonly timeoutSeconds?: number;
  readonly maxOutputChars?: number;
  readonly denyPatterns?: readonly string[];
  readonly allowPatterns?: readonly string[];
  /** `ask` leaves attended calls to the policy, which has asked before the tool runs. */
  readonly denyAction?: "ask" | "refuse";
  /** `tools.restrictToWorkspace`: bounds `working_dir` too. */
  readonly restrict?: boolean;
  /** Whether files that strangers wrote are in reach of commands: then what these say is a stranger's too. */
  readonly reachesUntrusted?: (input: Pick<ExecInput, "command" | "working_dir">) => boolean;
  /** Keeps what the command may change. */
  readonly undo?: Pick<Undo, "commandStarting" | "commandEnded">;
  /** Confines each command; when it cannot, none runs. Absent: commands run with all the rights of margay. */
  readonly sandbox?: Pick<Sandbox, "wrap" | "hold">;
  /** The process before this one ran since the machine was started: what it did not write it did not do. */
  readonly sameBoot?: boolean;
  /** Takes secrets out of the output before it is cut: half of one is not recognized. */
  readonly redact?: (text: string) => string;
  /** The socket of the proxy that leads to the hosts of `tools.exec.network`; undefined when there are none. */
  readonly egress?: () => Promise<string | undefined>;
}

const DESCRIPTION = `Runs a shell command and waits. Returns stdout, "STDERR:" with stderr if any, and "Exit code: n" last. No standard input; what it leaves running is ended. For files use the file tools.`;

export function execTool(options: ExecOptions): Tool {
  const lists = compileLists(options.denyPatterns ?? [], options.allowPatterns ?? []);
  const environment = commandEnvironment(options.environment, options.env ?? [], options.pathAppend ?? "");
  const defaultSeconds = options.timeoutSeconds ?? 60;
  const maxOutputChars = options.maxOutputChars ?? 10_000;
  const redaction = options.redact === undefined ? {} : { redact: options.redact };
  const tidy = createTidy(options.directory);
  const ended = async (
    command: RunningCommand,
    input: ExecInput,
    wait: Omit<WaitOptions, "hold">,
    context: ToolContext,
  ): Promise<ToolResult> => {
    try {
      using hold = await holdOf(command, options.sandbox);
      return labelled(await waitForCommand(command, { ...wait, ...redaction, hold }, context), input, options);
    } finally {
      await options.undo?.commandEnded(context); // however it ended, and without what confined it
    }
  };
  return defineTool<ExecInput>({
    name: "exec",
    description: DESCRIPTION,
    input: {
      properties: {
        command: { type: "string", minLength: 1 },
        working_dir: { type: "string", description: "Default: the workspace." },
        timeout: {
          type: "integer",
          minimum: 1,
          maximum: 3600,
          description: `Seconds. Default: ${defaultSeconds}.`,
        },
      },
      required: ["command"],
    },
    effect: "write",
    timeoutMs: 0,
    bounded: true,
    execute: async (input, context) => {
      const refused = refusal(input.command, lists, options.denyAction ?? "ask", context.attended);
      if (refused !== undefined) return errorText(refused);
      const root = options.restrict === true ? context.workspace : undefined;
      const wanted = input.working_dir ?? ".";
      const opened = openWorkingDirectory(context.workspace, wanted, root);
      if (opened.status !== "opened") return directoryError(opened, wanted, context.workspace);
      const timeoutSeconds = input.timeout ?? defaultSeconds;
      const directory = callDirectory(options, context);
      const cwd = opened.directory;
      let command: RunningCommand;
      let lease: JsonObject | undefined;
      try {
        await options.undo?.commandStarting(context); // before anything stands there that confines it
        const plain = { argv: [shellPath(), "-c", input.command] as const, environment };
        const socket = options.sandbox === undefined ? undefined : await options.egress?.();
        const inside = await options.sandbox?.wrap({
          ...plain,
          ...(socket !== undefined && { network: { socket } }),
          workspace: context.workspace,
          directory: cwd.path,
          inbox: namesInbox(input),
        });
        if (typeof inside === "string") {
          await options.undo?.commandEnded(context);
          return errorText(`Error: ${inside}.`);
        }
        lease = inside?.lease;
        context.signal.throwIfAborted();
        const deadline = context.clock.now() + timeoutSeconds * 1000;
        const notes = { turnId: context.turnId, timeoutSeconds, ...(lease !== undefined && { lease }) };
        const { argv, environment: env } = inside ?? plain;
        const spec = { argv, environment: env, directory: cwd.handle, deadline, notes };
        command = await startCommand(directory, spec, context.clock);
      } catch (error) {
        if (lease !== undefined) (await options.sandbox?.hold(lease, 0))?.[Symbol.dispose]();
        await options.undo?.commandEnded(context);
        throw error;
      } finally {
        cwd.close();
      }
      tidy(context.sessionId, context.turnId, context.clock.now());
      return ended(command, input, { directory, timeoutSeconds, maxOutputChars }, context);
    },
    recover: async (input, context) => {
      const directory = callDirectory(options, context);
      const command = recoverCommand(directory, options.sameBoot === true);
      if (command === undefined) return undefined;
      if (command === "unstarted") return { started: false };
      const timeoutSeconds = input.timeout ?? Number(command.intent.notes["timeoutSeconds"] ?? defaultSeconds);
      return ended(command, input, { directory, timeoutSeconds, maxOutputChars }, context);
    },
  });
}

function labelled(result: ToolResult, input: ExecInput, options: ExecOptions): ToolResult {
  const known = withConfidentiality(result, namesSensitivePath(input.command) ? "sensitive" : "personal");
  return options.reachesUntrusted?.(input) === true ? asUntrusted(known) : known;
}

/** Of this process or an earlier one: what the command may take is watched, and what confining it left is removed. */
async function holdOf(command: RunningCommand, sandbox: ExecOptions["sandbox"]): Promise<SandboxHold | undefined> {
  const { lease } = command.intent.notes;
  return sandbox === undefined || !isObject(lease) ? undefined : await sandbox.hold(lease, command.pid);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Files of strangers are shown to a command that says so, and to no other. */
function namesInbox({ command, working_dir: directory }: ExecInput): boolean {
  return /(?<![\w-])inbox(?![\w-])/.test(`${command}\n${directory ?? ""}`);
}

function callDirectory(options: ExecOptions, context: ToolContext): string {
  return join(options.directory, context.sessionId, context.callId);
}

function refusal(command: string, lists: ExecLists, action: "ask" | "refuse", attended: boolean): string | undefined {
  const verdict = classifyCommand(command, lists);
  if (verdict.verdict === "not-allowed") return notAllowedText(verdict.segment);
  // Nobody can have approved what nobody was there to approve.
  if (verdict.verdict === "deny-listed" && (action === "refuse" || !attended)) return deniedText(verdict.pattern);
  return undefined;
}

function directoryError(opened: OpenedDirectory, path: string, workspace: string): ToolResult {
  if (opened.status === "missing") return toolError(`${path} does not exist`, "look with list_dir");
  if (opened.status === "outside")
    return toolError(`${path} is outside the workspace`, `use a path inside ${workspace}`);
  return toolError(`${path} is not a directory`, "look with list_dir");
}
