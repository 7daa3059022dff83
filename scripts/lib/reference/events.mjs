// docs/reference/events.md: frames of the sockets, live events, records of the journal, events of the audit log.
import { cell, code, table } from "./table.mjs";

/** @param frames `docs/ws.schema.json`. @param records `{ type, text }`. @param audit names. @param topics names. */
export function eventsPage({ frames, records, audit, topics, words }) {
  const section = (title, about, titles, rows) => `## ${title}\n\n${about}\n\n${table(titles, rows)}\n`;
  const fieldsOf = (schema) => fields(schema).map(code).join(", ");
  const framesIn = (group) => Object.entries(group).map(([type, schema]) => [code(type), fieldsOf(schema)]);
  const live = variants(frames.server.live.properties.events.items).map((schema) => [
    code(schema.properties.type.const),
    cell(words.live[schema.properties.type.const] ?? missing(schema.properties.type.const)),
    fieldsOf(schema),
  ]);
  return [
    words.intro,
    section(words.client, words.aboutClient, [words.type, words.fields], framesIn(frames.client)),
    section(words.server, words.aboutServer, [words.type, words.fields], framesIn(frames.server)),
    section(
      words.topics,
      words.aboutTopics,
      [words.topic],
      topics.map((name) => [code(name)]),
    ),
    section(words.liveEvents, words.aboutLive, [words.type, words.meaning, words.fields], live),
    section(words.seed, words.aboutSeed, [words.type, words.fields], framesIn(frames.seedClient)),
    section(
      words.records,
      words.aboutRecords,
      [words.type, words.meaning],
      records.map(({ type, text }) => [code(type), cell(text)]),
    ),
    section(
      words.audit,
      words.aboutAudit,
      [words.type],
      audit.map((name) => [code(name)]),
    ),
  ].join("\n");
}

function variants(schema) {
  return schema.anyOf ?? schema.oneOf ?? [schema];
}

/** Names, `*` marks what is always there. */
function fields(schema) {
  const all = variants(schema);
  const names = [...new Set(all.flatMap(({ properties = {} }) => Object.keys(properties)))].filter(
    (name) => name !== "type",
  );
  return names.map((name) => `${name}${all.every(({ required = [] }) => required.includes(name)) ? "*" : ""}`);
}

/** The types of records with what stands above each in the source. */
export function recordsIn(source) {
  const found = [
    ...source.matchAll(/(?:\/\*\* ([^*]*(?:\*(?!\/)[^*]*)*) \*\/\s*)?\|\s*\(?\{\s*readonly type: "([\w.-]+)"/g),
  ];
  return found.map(([, text = "", type]) => ({ type, text: text.replaceAll(/\s*\n\s*\* ?/g, " ") }));
}

function missing(what) {
  throw new Error(`scripts/lib/reference has no words for the live event ${what}.`);
}
