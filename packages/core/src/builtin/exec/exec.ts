// `exec`: one shell command, one result, whatever happens to margay meanwhile.
import { isRecord } from "../../lib/is-record.ts";
import { join, relative } from "node:path";
import type { JsonObject } from "../../contract/base.ts";
import type { Tool, ToolContext, ToolResult } from "../../contract/tool.ts";
import { labelledFiles } from "../../lib/labelled-files.ts";
import { isUntrusted } from "../../lib/labels.ts";
import { namesSensitivePath } from "../../lib/paths/sensitive-path.ts";
import { openWorkingDirectory, type OpenedDirectory } from "../../machine/files/working-directory.ts";
import { recoverCommand, startCommand, type RunningCommand } from "../../machine/process/supervisor.ts";
import { shellPath } from "../../machine/process/shell-path.ts";
import type { LeftReport } from "../../machine/sandbox/quarantine/keeper.ts";
import type { Sandbox } from "../../machine/sandbox/sandbox.ts";
import { defineTool, errorText, toolError } from "../../tools/define.ts";
import { commandEnvironment } from "./environment.ts";
import { deniedText } from "../../lib/errors/denied-text.ts";
import { classifyCommand, compileLists, notAllowedText, type ExecLists } from "./lists.ts";
import { type CommandDoor, type ExecEgress, openCommandDoor, wantsNetwork } from "./network.ts";
import { createTidy } from "./cleanup.ts";
import { waitForCommand, type WaitOptions } from "./run.ts";
import { withHidden } from "../../labels/hidden-files.ts";
import { type CommandLabels, GIVEN } from "../../labels/command-labels.ts";
import { withLeftBehind } from "./left-behind.ts";
import type { CommandEnd, CommandLooks } from "../../undo/command-looks.ts";
import { asUntrusted, withConfidentiality, withDetails } from "../../tools/untrusted.ts";

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
  readonly labels?: Pick<CommandLabels, "inHistory" | "labelled" | "named">;
  /** Confines each command; when it cannot, none runs. Absent: commands run with all the rights of margay. */
  readonly sandbox?: Pick<Sandbox, "wrap" | "hold" | "keepAside">;
  /** The process before this one ran since the machine was started: what it did not write it did not do. */
  readonly sameBoot?: boolean;
  /** Takes secrets out of the output before it is cut: half of one is not recognized. */
  readonly redact?: (text: string) => string;
  /** The way out of the sandbox, a door for each call that gets one. Absent: there is none. */
  readonly egress?: ExecEgress;
}

const DESCRIPTION = `Runs a shell command and waits. Returns stdout, "STDERR:" with stderr if any, and "Exit code: n" last. No standard input; what it leaves running is ended. No network without \`network\`. For files use the file tools.`;

const NETWORK_DESCRIPTION =
  "Asks the person once for each new host. Default: off unless the command is one that downloads.";

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
    { causes, ...wait }: Omit<WaitOptions, "hold"> & { readonly causes: Causes },
    context: ToolContext,
  ): Promise<ToolResult> => {
    let found: CommandEnd = { causes: [], labelled: 0, started: [] };
    let left: LeftReport = { kept: [], stuck: [], complete: true };
    const waited = async (): Promise<ToolResult> => {
      const { lease } = command.intent.notes;
      const confined = isRecord(lease) ? options.sandbox : undefined;
      const watch = isRecord(lease) ? await confined?.keepAside(lease) : undefined;
      try {
        using hold = isRecord(lease) ? await confined?.hold(lease, command.pid) : undefined;
        return await waitForCommand(command, { ...wait, ...redaction, hold }, context);
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
        ...(options.egress !== undefined && { network: { type: "boolean", description: NETWORK_DESCRIPTION } }),
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
      const untraced: string[] = [];
      let hidden: readonly string[] = [];
      const { egress } = options.sandbox === undefined ? {} : options;
      const door =
        egress !== undefined && wantsNetwork(input)
          ? await openCommandDoor(input.command, context, { egress, ...redaction }).catch((error: unknown) => {
              cwd.close();
              throw error;
            })
          : undefined;
      const causes = causesOf(input, context, { ...options, untraced, door });
      let command: RunningCommand;
      let lease: JsonObject | undefined;
      try {
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
        if (typeof inside === "string") {
          await door?.[Symbol.asyncDispose]();
          await options.undo?.commandEnded(context);
          return errorText(`Error: ${inside}.`);
        }
        lease = inside?.lease;
        untraced.push(...(inside?.untraced ?? []).map((path) => relative(context.workspace, path)));
        const view = { hidden: inside?.hidden ?? [], shown: inside?.untraced ?? [] };
        hidden = view.hidden.map(({ path }) => relative(context.workspace, path));
        context.signal.throwIfAborted();
        const deadline = context.clock.now() + timeoutSeconds * 1000;
        const notes = {
          turnId: context.turnId,
          timeoutSeconds,
          ...(lease !== undefined && { lease }),
          ...(network && { network }),
        };
        const { argv, environment: env } = inside ?? plain;
        const spec = { argv, environment: env, directory: cwd.handle, deadline, notes };
        await options.undo?.commandReady(context, view);
        command = await startCommand(directory, spec, context.clock);
      } catch (error) {
        await door?.[Symbol.asyncDispose]();
        await options.undo?.commandEnded(context);
        throw error;
      } finally {
        cwd.close();
      }
      tidy(context.sessionId, context.turnId, context.clock.now());
      const way = door ?? (egress === undefined ? undefined : ("none" as const));
      const network = way === undefined ? {} : { network: way };
      return withHidden(
        await ended(command, input, { directory, timeoutSeconds, maxOutputChars, causes, ...network }, context),
        hidden,
      );
    },
    recover: async (input, context) => {
      const directory = callDirectory(options, context);
      const command = recoverCommand(directory, options.sameBoot === true);
      if (command === undefined) return undefined;
      if (command === "unstarted") return { started: false };
      const timeoutSeconds = input.timeout ?? Number(command.intent.notes["timeoutSeconds"] ?? defaultSeconds);
      // Which hosts it reached the process knew that died.
      const network = command.intent.notes["network"] === true ? ["network"] : [];
      const known = causesOf(input, context, { ...(options.labels !== undefined && { labels: options.labels }) });
      const causes: Causes = () => [...known(), ...network];
      return ended(command, input, { directory, timeoutSeconds, maxOutputChars, causes }, context);
    },
  });
}

type Causes = () => readonly string[];

/** Why a command is a stranger's, beside what it reads: who gave it, what it names, and the hosts it has reached by now. */
function causesOf(
  input: ExecInput,
  { label }: ToolContext,
  {
    labels,
    door,
    untraced = [],
  }: Pick<ExecOptions, "labels"> & {
    readonly door?: CommandDoor | undefined;
    readonly untraced?: readonly string[];
  },
): Causes {
  const always = [
    ...(isUntrusted(label) ? [GIVEN] : []),
    ...(namesInbox(input) ? ["inbox"] : []),
    ...(labels?.named(`${input.command}\n${input.working_dir ?? ""}`) ?? []),
  ];
  return () => [...always, ...untraced.map((path) => `read ${path}`), ...(door?.causes() ?? [])];
}

/** So many causes are named in a result. */
const MAX_CAUSES = 3;

function labelled(
  result: ToolResult,
  input: ExecInput,
  found: { readonly causes: readonly string[]; readonly files: number },
  labels: ExecOptions["labels"],
): ToolResult {
  const told = withDetails(result, labelledFiles(found.files));
  const known = withConfidentiality(told, namesSensitivePath(input.command) ? "sensitive" : "personal");
  const printed = known.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const text = found.causes.length === 0 ? labels?.inHistory(printed) : undefined;
  const causes = text === undefined ? found.causes : [text];
  return causes.length === 0 ? known : asUntrusted(withDetails(known, { label: causes.slice(0, MAX_CAUSES) }));
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
