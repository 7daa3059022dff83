// `exec`: one shell command, one result, whatever happens to margay meanwhile.
import { isRecord } from "../../lib/is-record.ts";
import { join, relative } from "node:path";
import type { NotStarted, Tool, ToolContext, ToolResult } from "../../contract/tool.ts";
import { openWorkingDirectory, type WorkingDirectory } from "../../machine/files/working-directory.ts";
import { recoverCommand, startCommand, type RunningCommand } from "../../machine/process/supervisor.ts";
import { shellPath } from "../../machine/process/shell-path.ts";
import type { LeftReport } from "../../machine/sandbox/quarantine/keeper.ts";
import type { Sandbox } from "../../machine/sandbox/sandbox.ts";
import { defineTool, errorText } from "../../tools/define.ts";
import { commandEnvironment } from "./environment.ts";
import { compileLists, type ExecLists } from "./lists.ts";
import { type CommandDoor, type ExecEgress, openCommandDoor, wantsNetwork } from "./network.ts";
import { causesOf, labelled, namesInbox, type Causes } from "./causes.ts";
import { createTidy } from "./cleanup.ts";
import { directoryError, refusal } from "./refusal.ts";
import { waitForCommand, type WaitOptions } from "./run.ts";
import { withHidden } from "../../labels/hidden-files.ts";
import type { CommandLabels } from "../../labels/command-labels.ts";
import { withLeftBehind } from "./left-behind.ts";
import type { CommandEnd, CommandLooks } from "../../undo/command-looks.ts";

export interface ExecInput {
  readonly command: string;
  readonly working_dir?: string;
  readonly timeout?: number;
  readonly network?: boolean;
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
  /** Keeps what the command may change, and says whose that is. */
  readonly undo?: CommandLooks;
  /** Which files are a stranger's. Without it no command is one for what it prints. */
  readonly labels?: Pick<CommandLabels, "inHistory" | "labelled" | "named" | "readers">;
  /** Confines each command; when it cannot, none runs. Absent: commands run with all the rights of margay. */
  readonly sandbox?: Pick<Sandbox, "wrap" | "hold" | "keepAside">;
  /** The process before this one ran since the machine was started: what it did not write it did not do. */
  readonly sameBoot?: boolean;
  /** Takes secrets out of the output before it is cut: half of one is not recognized. */
  readonly redact?: (text: string) => string;
  /** `agent.parallelTools`: neighboring calls of one answer run at once, and the model is told so. */
  readonly together?: boolean;
  /** The way out of the sandbox, a door for each call that gets one. Absent: there is none. */
  readonly egress?: ExecEgress;
}

const DESCRIPTION = `Runs a shell command and waits. Returns stdout, "STDERR:" with stderr, "Exit code: n". No input; what it leaves running is ended. No network without \`network\`. For files use the file tools.`;

const TOGETHER = " Calls of one answer run at once.";

const NETWORK_DESCRIPTION =
  "Asks the person once for each new host. Default: off unless the command is one that downloads.";

/** A tool that is made: its options, and what was made of them. */
interface Exec {
  readonly options: ExecOptions;
  readonly lists: ExecLists;
  readonly environment: Readonly<Record<string, string>>;
  readonly defaultSeconds: number;
  readonly maxOutputChars: number;
  readonly redaction: Pick<ExecOptions, "redact">;
  readonly tidy: ReturnType<typeof createTidy>;
}

export function execTool(options: ExecOptions): Tool {
  const exec: Exec = {
    options,
    lists: compileLists(options.denyPatterns ?? [], options.allowPatterns ?? []),
    environment: commandEnvironment(options.environment, options.env ?? [], options.pathAppend ?? ""),
    defaultSeconds: options.timeoutSeconds ?? 60,
    maxOutputChars: options.maxOutputChars ?? 10_000,
    redaction: options.redact === undefined ? {} : { redact: options.redact },
    tidy: createTidy(options.directory),
  };
  return defineTool<ExecInput>({
    name: "exec",
    description: options.together === true ? DESCRIPTION + TOGETHER : DESCRIPTION,
    input: {
      properties: {
        command: { type: "string", minLength: 1 },
        working_dir: { type: "string", description: "Default: workspace." },
        timeout: {
          type: "integer",
          minimum: 1,
          maximum: 3600,
          description: `Default: ${exec.defaultSeconds} s.`,
        },
        ...(options.egress !== undefined && { network: { type: "boolean", description: NETWORK_DESCRIPTION } }),
      },
      required: ["command"],
    },
    effect: "write",
    timeoutMs: 0,
    bounded: true,
    execute: (input, context) => execute(exec, input, context),
    recover: (input, context) => recover(exec, input, context),
  });
}

async function execute(exec: Exec, input: ExecInput, context: ToolContext): Promise<ToolResult> {
  const { options, lists, redaction, defaultSeconds } = exec;
  const refused = refusal(input.command, lists, options.denyAction ?? "ask", context.attended);
  if (refused !== undefined) return errorText(refused);
  const { workspace } = context;
  const wanted = input.working_dir ?? ".";
  const opened = openWorkingDirectory(workspace, wanted, options.restrict === true ? workspace : undefined);
  if (opened.status !== "opened") return directoryError(opened, wanted, workspace);
  const cwd = opened.directory;
  const { egress } = options.sandbox === undefined ? {} : options;
  const door =
    egress !== undefined && wantsNetwork(input)
      ? await openCommandDoor(input.command, context, { egress, ...redaction }).catch((error: unknown) => {
          cwd.close();
          throw error;
        })
      : undefined;
  const untraced: string[] = [];
  const causes = causesOf(input, context, { ...options, untraced, door });
  const timeoutSeconds = input.timeout ?? defaultSeconds;
  let started: Started | string;
  try {
    started = await start(exec, input, context, { cwd, door, causes, untraced, timeoutSeconds });
  } catch (error) {
    await door?.[Symbol.asyncDispose]();
    await options.undo?.commandEnded(context);
    throw error;
  } finally {
    cwd.close();
  }
  if (typeof started === "string") {
    await door?.[Symbol.asyncDispose]();
    await options.undo?.commandEnded(context);
    return errorText(`Error: ${started}.`);
  }
  exec.tidy(context.sessionId, context.turnId, context.clock.now());
  const way = door ?? (egress === undefined ? undefined : ("none" as const));
  const network = way === undefined ? {} : { network: way };
  const result = await ended(exec, started.command, input, { timeoutSeconds, causes, ...network }, context);
  return withHidden(result, started.hidden);
}

interface Started {
  readonly command: RunningCommand;
  /** Below the workspace: what the command does not see. */
  readonly hidden: readonly string[];
}

interface How {
  readonly cwd: WorkingDirectory;
  readonly door: CommandDoor | undefined;
  readonly causes: Causes;
  /** Takes the files of strangers whose reading leaves no trace. */
  readonly untraced: string[];
  readonly timeoutSeconds: number;
}

/** @returns the reason when it cannot be confined. */
async function start(
  { options, environment }: Exec,
  input: ExecInput,
  context: ToolContext,
  { cwd, door, causes, untraced, timeoutSeconds }: How,
): Promise<Started | string> {
  const network = door !== undefined;
  await options.undo?.commandStarting(context, { causes, network }); // before anything stands there that confines it
  const plain = { argv: [shellPath(), "-c", input.command] as const, environment };
  const inside = await options.sandbox?.wrap({
    ...plain,
    ...(network && { network: { socket: door.path, git: true } }),
    workspace: context.workspace,
    directory: cwd.path,
    inbox: namesInbox(input),
    ...(options.labels !== undefined && { labelled: options.labels.labelled() }),
  });
  if (typeof inside === "string") return inside;
  untraced.push(...(inside?.untraced ?? []).map((path) => relative(context.workspace, path)));
  const view = { hidden: inside?.hidden ?? [], shown: inside?.untraced ?? [] };
  context.signal.throwIfAborted();
  const notes = {
    turnId: context.turnId,
    timeoutSeconds,
    ...(inside?.lease !== undefined && { lease: inside.lease }),
    ...(network && { network }),
  };
  const { argv, environment: env } = inside ?? plain;
  const spec = {
    argv,
    environment: env,
    directory: cwd.handle,
    deadline: context.clock.now() + timeoutSeconds * 1000,
    notes,
  };
  await options.undo?.commandReady(context, view);
  const command = await startCommand(callDirectory(options, context), spec, context.clock);
  return { command, hidden: view.hidden.map(({ path }) => relative(context.workspace, path)) };
}

async function recover(
  exec: Exec,
  input: ExecInput,
  context: ToolContext,
): Promise<ToolResult | NotStarted | undefined> {
  const { options, defaultSeconds } = exec;
  const command = recoverCommand(callDirectory(options, context), options.sameBoot === true);
  if (command === undefined) return undefined;
  if (command === "unstarted") return { started: false };
  const timeoutSeconds = input.timeout ?? Number(command.intent.notes["timeoutSeconds"] ?? defaultSeconds);
  // Which hosts it reached the process knew that died.
  const network = command.intent.notes["network"] === true ? ["network"] : [];
  const known = causesOf(input, context, { ...(options.labels !== undefined && { labels: options.labels }) });
  const causes: Causes = () => [...known(), ...network];
  return ended(exec, command, input, { timeoutSeconds, causes }, context);
}

/** Waits for its end, and says what it did, left and read. */
async function ended(
  { options, maxOutputChars, redaction }: Exec,
  command: RunningCommand,
  input: ExecInput,
  { causes, ...how }: Pick<WaitOptions, "timeoutSeconds" | "network"> & { readonly causes: Causes },
  context: ToolContext,
): Promise<ToolResult> {
  const wait = { directory: callDirectory(options, context), maxOutputChars, ...redaction, ...how };
  let found: CommandEnd = { causes: [], labelled: 0, started: [] };
  let left: LeftReport = { kept: [], stuck: [], complete: true };
  const waited = async (): Promise<ToolResult> => {
    const { lease } = command.intent.notes;
    const confined = isRecord(lease) ? options.sandbox : undefined;
    const watch = isRecord(lease) ? await confined?.keepAside(lease) : undefined;
    try {
      using hold = isRecord(lease) ? await confined?.hold(lease, command.pid) : undefined;
      return await waitForCommand(command, { ...wait, hold }, context);
    } finally {
      // However it ended. What is kept aside is no change of the workspace; what it reached is known from here on.
      left = (await watch?.end()) ?? left;
      if (typeof wait.network === "object") await wait.network[Symbol.asyncDispose]();
      found = (await options.undo?.commandEnded(context)) ?? found;
    }
  };
  const result = withLeftBehind(await waited(), left, found.started);
  const labels = { causes: [...new Set([...causes(), ...found.causes])], files: found.labelled };
  return labelled(result, input, labels, options.labels);
}

function callDirectory(options: ExecOptions, context: ToolContext): string {
  return join(options.directory, context.sessionId, context.callId);
}
