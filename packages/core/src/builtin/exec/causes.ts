// Whose a command is, and what it prints.
import type { ToolContext, ToolResult } from "../../contract/tool.ts";
import type { CommandLabels } from "../../labels/command-labels.ts";
import { GIVEN } from "../../labels/label-changes.ts";
import { isUntrusted } from "../../lib/labels.ts";
import { labelledFiles } from "../../lib/labelled-files.ts";
import { namesSensitivePath } from "../../lib/paths/sensitive-path.ts";
import { withReaders } from "../../labels/file-readers.ts";
import { asUntrusted, withConfidentiality, withDetails } from "../../tools/untrusted.ts";
import type { CommandDoor } from "./network.ts";

interface Command {
  readonly command: string;
  readonly working_dir?: string;
}

/** Why a command is a stranger's, as far as is known now. */
export type Causes = () => readonly string[];

/** Why a command is a stranger's, beside what it reads: who gave it, what it names, and the hosts it has reached by now. */
export function causesOf(
  input: Command,
  { label }: ToolContext,
  {
    labels,
    door,
    untraced = [],
  }: {
    readonly labels?: Pick<CommandLabels, "named"> | undefined;
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

/** Whose the result is. */
export function labelled(
  result: ToolResult,
  input: Command,
  found: { readonly causes: readonly string[]; readonly files: number },
  labels: Pick<CommandLabels, "inHistory" | "readers"> | undefined,
): ToolResult {
  const told = withDetails(result, labelledFiles(found.files));
  const known = withConfidentiality(told, namesSensitivePath(input.command) ? "sensitive" : "personal");
  const printed = known.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const text = found.causes.length === 0 ? labels?.inHistory(printed) : undefined;
  const causes = text === undefined ? found.causes : [text];
  if (causes.length === 0) return known;
  const marked = asUntrusted(withDetails(known, { label: causes.slice(0, MAX_CAUSES) }));
  return withReaders(marked, labels?.readers(causes) ?? []);
}

/** Files of strangers are shown to a command that says so, and to no other. */
export function namesInbox({ command, working_dir: directory }: Command): boolean {
  return /(?<![\w-])inbox(?![\w-])/.test(`${command}\n${directory ?? ""}`);
}
