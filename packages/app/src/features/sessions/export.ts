/** A conversation as a file. */
import { type Commit } from "@margay/core";
import { allOf, fenced, type Prefix, renderTranscripts, type Summary } from "@margay/core/internal";
import { createView, type Item } from "@margay/core/state";
import { callsOf, exported, isCut } from "@margay/core/internal/state";
import type { z } from "zod";
import type { Reply } from "../../host/api/route.ts";
import type { ExportQuery } from "../../protocol/sessions.ts";
import { eventsOf, type Caller } from "../../host/sessions/access.ts";
import { titleOf } from "../../host/sessions/marks.ts";

type Format = "margay" | "seed" | "markdown" | "json";

const TYPES: Readonly<Record<Format, readonly [type: string, ending: string]>> = {
  margay: ["application/x-ndjson; charset=utf-8", "journal.jsonl"],
  seed: ["application/x-ndjson; charset=utf-8", "jsonl"],
  markdown: ["text/markdown; charset=utf-8", "md"],
  json: ["application/json; charset=utf-8", "json"],
};

export async function exportSession(
  caller: Caller,
  session: Summary,
  { format, include }: z.infer<typeof ExportQuery>,
): Promise<Reply> {
  const { app } = caller.services;
  const { reader, marks } = eventsOf(caller.services);
  const commits: Commit[] = [];
  for await (const commit of reader.whole(session.id)) commits.push(commit);
  const title = titleOf(marks.of(session.id), session);
  const [type, ending] = TYPES[format];
  return {
    raw: app.inside.redact(
      await textOf({ format, commits, session, title, included: new Set(include.split(",")) }, app),
    ),
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${session.id}.${ending}"`,
    },
  };
}

interface Exported {
  readonly format: Format;
  readonly commits: readonly Commit[];
  readonly session: Summary;
  readonly title: string;
  /** Of `tools`, `thinking` and `prefix`. */
  readonly included: ReadonlySet<string>;
}

async function textOf(
  { format, commits, session, title, included }: Exported,
  { inside }: Caller["services"]["app"],
): Promise<string> {
  const items = (): readonly Item[] => itemsOf(commits, session).map((item) => without(item, included));
  const prefixes = included.has("prefix") ? prefixesOf(commits) : [];
  switch (format) {
    case "margay":
      return commits.map((commit) => `${JSON.stringify(exported(commit))}\n`).join("");
    case "seed": {
      const { toolResultChars } = inside.loaded().config.sessions;
      const files = await renderTranscripts(each(commits), { toolResultChars });
      // The current transcript: what `/new` ended lies in files of its own beside it.
      return (files.find((file) => file.time === undefined) ?? files.at(-1))?.text ?? "";
    }
    case "markdown":
      return `# ${title}\n\n${prefixes.map(prefixMarkdown).join("")}${items().map(markdown).join("")}`;
    case "json":
      return `${JSON.stringify(
        {
          id: session.id,
          key: session.key,
          title,
          ...(included.has("prefix") && { prefixes }),
          items: items(),
        },
        undefined,
        1,
      )}\n`;
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

/** What is not asked for is left out; what was said is always there. */
function without(item: Item, included: ReadonlySet<string>): Item {
  if (item.kind !== "assistant") return item;
  const parts = item.parts.filter(
    ({ type }) => type === "text" || type === "media" || included.has(type === "call" ? "tools" : "thinking"),
  );
  return { ...item, parts };
}

/** In the order in which they began to hold. */
function prefixesOf(commits: readonly Commit[]): readonly Prefix[] {
  const found = new Map<string, Prefix>();
  for (const { records } of commits)
    for (const { prefix } of allOf(records, "prefix.frozen")) found.set(prefix.hash, prefix);
  return [...found.values()];
}

function prefixMarkdown({ system, tools }: Prefix): string {
  const names = tools.map(({ name }) => `\`${name}\``).join(", ");
  return `<details><summary>Instructions to the model</summary>\n\n${fenced(system)}\n\nTools: ${names}\n</details>\n\n`;
}

function markdown(item: Item): string {
  const time = new Date(item.at).toISOString().slice(0, 16).replace("T", " ");
  switch (item.kind) {
    case "user":
      return `## ${item.from.name ?? item.from.id} · ${time}\n\n${item.parts.map((part) => (part.type === "text" ? part.text : `[${part.name ?? part.mediaType}]`)).join("\n")}\n\n`;
    case "assistant": {
      const text = item.parts
        .map((part) =>
          part.type === "text" ? part.text : part.type === "media" ? `[${part.name ?? part.mediaType}]` : "",
        )
        .join("");
      const calls = callsOf(item).map((call) => {
        const result =
          call.result === undefined || isCut(call.result)
            ? ""
            : call.result.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
        return `<details><summary>${call.name}: ${call.status}</summary>\n\n${fenced(JSON.stringify(call.input))}\n\n${fenced(result)}\n\n</details>\n\n`;
      });
      const thoughts = item.parts.map((part) =>
        part.type === "thinking"
          ? `<details><summary>Thinking</summary>\n\n${fenced(part.text)}\n\n</details>\n\n`
          : "",
      );
      return `## ${item.model.model} · ${time}\n\n${thoughts.join("")}${text === "" ? "" : `${text}\n\n`}${calls.join("")}`;
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
