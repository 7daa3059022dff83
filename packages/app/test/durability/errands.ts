/** What people and programs ask of margay in the random suites, and what the model does about it: a function of the request. */
import { callsTool, says } from "@margay/core/testing";
import { callsTools, type RecordedRequest, type Reply } from "@margay/core/internal/testing";

/** Each with an effect of its own kind. `child` is what a subagent is asked, `job` what a job asks. */
export type Kind =
  | "chat"
  | "talk"
  | "slow"
  | "left"
  | "spawn"
  | "wait"
  | "child"
  | "cron"
  | "job"
  | "mcp"
  | "remember"
  | "file"
  | "rich";

export interface Errand {
  readonly kind: Kind;
  /** Also what its effects leave in the world: of the form `r1x2z`, with a letter more for what it asks of others. */
  readonly id: string;
}

type Call = { readonly name: string; readonly args: object };
/** One after another; the calls of one step beside each other. */
type Step = readonly Call[];

export function errandText({ kind, id }: Errand): string {
  return `[do ${kind} ${id}]`;
}

export function answerText(id: string): string {
  return `Answer ${id}.`;
}

/** Whose call it is. */
export function idIn(input: string): string | undefined {
  return /\b(r\d+x\d+z[cj]?)/.exec(input)?.[1];
}

/** What a command leaves where undo does not look. */
export const RAN = "node_modules/ran";

/** Commands append one line in one write: two of them never mix. */
function ran(id: string): string {
  return `echo ${id} >> ${RAN}`;
}

const exec = (command: string): Call => ({ name: "exec", args: { command } });

function stepsOf({ kind, id }: Errand): readonly Step[] {
  switch (kind) {
    case "chat":
      return [
        [{ name: "list_dir", args: { path: "." } }, { name: "read_file", args: { path: "a.txt" } }, exec(ran(id))],
        // Waits for a person.
        [{ name: "write_file", args: { path: `note-${id}.txt`, content: `${id}\n` } }],
      ];
    case "talk":
      return []; // an answer without a call
    case "slow":
      return [[exec(`sleep 0.2; ${ran(id)}; sleep 0.3; echo said`)]];
    case "left":
      return [[exec(`(sleep 0.1; echo ${id}.left >> ${RAN}) & ${ran(id)}; sleep 0.2`)]];
    case "child":
    case "job":
      return [[exec(ran(id))]];
    case "spawn":
      return [[{ name: "spawn", args: { label: "helper", task: errandText({ kind: "child", id: `${id}c` }) } }]];
    case "wait":
      return [
        [{ name: "spawn", args: { label: "helper", task: errandText({ kind: "child", id: `${id}c` }), wait: true } }],
      ];
    case "cron":
      return [
        [
          {
            name: "cron",
            args: {
              action: "add",
              at: new Date(Date.now() + 500).toISOString(), // what is journaled counts, not what is asked again
              misfire: "latest_once",
              message: errandText({ kind: "job", id: `${id}j` }),
            },
          },
        ],
      ];
    case "mcp":
      return [[{ name: "mcp_effects_note", args: { id } }]];
    case "remember":
      return [[{ name: "remember", args: { text: `Fact ${id}` } }]];
    case "file":
      return [
        [{ name: "write_file", args: { path: `file-${id}.txt`, content: `${id}\n` } }],
        [{ name: "edit_file", args: { path: `file-${id}.txt`, old_text: id, new_text: `${id} ${id}` } }],
      ];
    // All that a turn can touch, one after another: what the sweep over faults goes through.
    case "rich":
      return (["chat", "file", "remember", "mcp", "wait"] as const).flatMap((kind) => stepsOf({ kind, id }));
  }
}

/** The model: does what open errands still want, the oldest first; then says that all of them are done. */
export function answer(request: RecordedRequest): Reply {
  if (request.toolNames.includes("save_memory")) return consolidated(request);
  const open = new Map<string, Errand>();
  const reported = new Set<string>();
  for (const { role, parts } of request.messages) {
    const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    if (role === "assistant") {
      for (const [, id = ""] of text.matchAll(/Answer (\w+)\./g)) open.delete(id);
      for (const [, id = ""] of text.matchAll(/Noted (\w+)\./g)) reported.delete(id);
    }
    if (role !== "user") continue;
    for (const [, kind = "", id = ""] of text.matchAll(/\[do (\w+) (\w+)\]/g)) open.set(id, { kind: kind as Kind, id }); // written by errandText
    // What a subagent reports.
    for (const [, id = ""] of text.matchAll(/Answer (\w+)\./g)) reported.add(id);
  }
  /** A path tells two writes of one errand apart. */
  const isMade = ({ name, args }: Call, id: string): boolean =>
    request.toolCalls.some(
      (call) =>
        call.name === name &&
        idIn(call.arguments)?.startsWith(id) === true &&
        (!("path" in args) || call.arguments.includes(String(args.path))),
    );
  for (const { kind, id } of open.values()) {
    const calls = stepsOf({ kind, id }).find((step) => !step.some((call) => isMade(call, id)));
    const [first] = calls ?? [];
    if (calls === undefined || first === undefined) continue;
    return calls.length === 1 ? callsTool(first.name, first.args) : callsTools(calls, { text: "Looking. " });
  }
  const texts = [...[...open.keys()].map(answerText), ...[...reported].map((id) => `Noted ${id}.`)];
  return says(texts.length === 0 ? "Nothing to do." : texts.join(" "), { chunks: 3 });
}

/** One line for each errand that leaves the context, and the facts that were there. */
function consolidated(request: RecordedRequest): Reply {
  const text = request.texts("user").join("\n");
  const [, facts = ""] = /# MEMORY\.md\n([^]*?)\n# Conversation\n/.exec(text) ?? [];
  const ids = new Set([...text.matchAll(/\[do \w+ (\w+)\]/g)].map(([, id]) => id));
  return callsTool("save_memory", {
    history: `Kept ${[...ids].join(" ")}.`,
    memory: `${facts === "(empty)" ? "" : `${facts}\n`}Kept ${[...ids].join(" ")}`,
  });
}
