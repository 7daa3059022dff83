/** The files of memory, their versions, and what a search finds. */
import { z } from "zod";
import { Id, Millis, page } from "../../protocol/common.ts";

const Label = z.strictObject({ integrity: z.enum(["trusted", "untrusted"]) });

export const MemoryFileList = z.strictObject({
  items: z.array(
    z.strictObject({
      name: z.string(),
      hash: z.string(),
      bytes: z.number().int(),
      tokens: z.number().int(),
      modifiedAt: Millis.nullable(),
      role: z.enum(["facts", "history", "person", "character", "rules", "tools", "tasks"]),
      /** Part of the system prompt. */
      inPrompt: z.boolean(),
      writable: z.boolean(),
      label: Label,
    }),
  ),
});

export const MemoryText = z.strictObject({ name: z.string(), text: z.string(), hash: z.string(), label: Label });

export const MemoryFacts = z.strictObject({
  /** Of MEMORY.md: a line is changed by writing the file. */
  hash: z.string(),
  items: z.array(
    z.strictObject({
      /** In the file, from 1. */
      line: z.number().int(),
      text: z.string(),
      /** The heading above it. */
      section: z.string().optional(),
      /** It names a source outside. */
      untrusted: z.boolean(),
      /** Who wrote it first. `person`: it came into the file by no conversation. */
      origin: z.strictObject({
        by: z.enum(["agent", "consolidation", "person"]),
        at: Millis.optional(),
        session: Id.optional(),
        key: z.string().optional(),
        /** The answer in which the agent asked for it. */
        item: z.string().optional(),
      }),
    }),
  ),
});

const MAX_MEMORY_CHARS = 1_000_000;
export const MemoryWrite = z.strictObject({
  text: z.string().max(MAX_MEMORY_CHARS),
  note: z.string().max(200).optional(),
});
export const MemoryWritten = z.strictObject({
  hash: z.string(),
  /** `notice`: chats at work are told at their next turn. `none`: it is in no prompt. */
  effect: z.enum(["notice", "none"]),
});

const VersionFields = {
  v: z.number().int(),
  at: Millis,
  by: z.string().optional(),
  note: z.string().optional(),
  hash: z.string(),
  added: z.number().int(),
  removed: z.number().int(),
};
export const VersionPage = page(z.strictObject(VersionFields));
export const VersionText = z.strictObject({ ...VersionFields, text: z.string() });

export const SearchQuery = z.strictObject({
  q: z.string().min(1).max(500),
  in: z.enum(["memory", "history", "sessions"]).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export const SearchResult = z.strictObject({
  items: z.array(
    z.strictObject({
      source: z.enum(["memory", "history", "session"]),
      file: z.string().optional(),
      session: Id.optional(),
      key: z.string().optional(),
      line: z.number().int(),
      text: z.string(),
      /** Where the words are in `text`: start and end. */
      ranges: z.array(z.tuple([z.number().int(), z.number().int()])),
      untrusted: z.boolean(),
    }),
  ),
});

export const ConsolidateBody = z.strictObject({ session: z.string().max(64) });
/** Its outcome is a version of MEMORY.md and entries of HISTORY.md, when there was something to keep. */
export const ConsolidateResult = z.strictObject({ session: Id });
