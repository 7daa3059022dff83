/** A conversation as a file. */
import { renderTranscripts, type Commit } from "@margay/core";
import { callsOf, createView, isCut, type Item } from "@margay/core/state";
import type { Reply } from "../route.ts";
import { eventsOf, type Caller } from "./access.ts";
import type { Summary } from "./summary.ts";

type Format = "margay" | "seed" | "markdown" | "json";

const TYPES: Readonly<Record<Format, readonly [type: string, ending: string]>> = {
  margay: ["application/x-ndjson; charset=utf-8", "journal.jsonl"],
  seed: ["application/x-ndjson; charset=utf-8", "jsonl"],
  markdown: ["text/markdown; charset=utf-8", "md"],
  json: ["application/json; charset=utf-8", "json"],
};

export async function exportSession(caller: Caller, session: Summary, format: Format): Promise<Reply> {
  const { app } = caller.services;
  const { reader, marks } = eventsOf(caller.services);
  const commits: Commit[] = [];
  for await (const commit of reader.whole(session.id)) commits.push(commit);
  const title = marks.of(session.id).title ?? session.title;
  const [type, ending] = TYPES[format];
  return {
    raw: app.inside.redact(await textOf(format, commits, session, title, app)),
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${session.id}.${ending}"`,
    },
  };
}

async function textOf(
  format: Format,
  commits: readonly Commit[],
  session: Summary,
  title: string,
  { inside }: Caller["services"]["app"],
): Promise<string> {
  switch (format) {
    case "margay":
      return commits.map((commit) => `${JSON.stringify(commit)}\n`).join("");
    case "seed": {
      const { toolResultChars } = inside.loaded().config.sessions;
      const files = await renderTranscripts(each(commits), { toolResultChars });
      // The current transcript: what `/new` ended lies in files of its own beside it.
      return (files.find((file) => file.time === undefined) ?? files.at(-1))?.text ?? "";
    }
    case "markdown":
      return `# ${title}\n\n${itemsOf(commits, session).map(markdown).join("")}`;
    case "json":
      return `${JSON.stringify({ id: session.id, key: session.key, title, items: itemsOf(commits, session) }, undefined, 1)}\n`;
  }
}

// oxlint-disable-next-line require-await -- renderTranscripts reads journals, which are asynchronous
async function* each(commits: readonly Commit[]): AsyncGenerator<Commit> {
  yield* commits;
}

function itemsOf(commits: readonly Commit[], { id }: Summary): readonly Item[] {
  const view = createView(id);
  for (const commit of commits) view.apply(commit);
  return view.items;
}

function markdown(item: Item): string {
  const time = new Date(item.at).toISOString().slice(0, 16).replace("T", " ");
  switch (item.kind) {
    case "user":
      return `## ${item.from.name ?? item.from.id} · ${time}\n\n${item.parts.map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mediaType}]`)).join("\n")}\n\n`;
    case "assistant": {
      const text = item.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
      const calls = callsOf(item).map((call) => {
        const result =
          call.result === undefined || isCut(call.result)
            ? ""
            : call.result.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
        return `<details><summary>${call.name}: ${call.status}</summary>\n\n${fenced(JSON.stringify(call.input))}\n${fenced(result)}\n</details>\n\n`;
      });
      return `## ${item.model.model} · ${time}\n\n${text === "" ? "" : `${text}\n\n`}${calls.join("")}`;
    }
    case "cleared":
      return "---\n\n";
    case "notice":
    case "compaction":
    case "epoch":
    case "turn-end":
    case "delivery":
      return "";
  }
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}\n`;
}
