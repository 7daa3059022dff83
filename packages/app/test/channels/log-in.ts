// A login as a page reads it, and what it left on the disk.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { onTestFinished } from "vitest";
import type { TestGateway } from "../gateway/support.ts";

export interface Reading {
  readonly status: number;
  /** Resolves with them when there are that many, or no more come. */
  events(count: number): Promise<readonly JsonObject[]>;
  leave(): void;
}

/** @param scope of the token that it is asked with */
export async function login(
  { url, token }: TestGateway,
  id: string,
  body: JsonObject,
  { scope = "owner", language = "en" }: { scope?: "owner" | "admin"; language?: string } = {},
): Promise<Reading> {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const response = await fetch(`${url}/api/v1/channels/${id}/login`, {
    method: "POST",
    body: JSON.stringify(body),
    signal: over.signal,
    headers: {
      accept: "text/event-stream",
      "accept-language": language,
      "content-type": "application/json",
      authorization: `Bearer ${token(scope)}`,
    },
  });
  const events: JsonObject[] = [];
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    status: response.status,
    leave: () => over.abort(),
    events: async (count) => {
      while (events.length < count) {
        const part = await reader?.read();
        if (part?.value === undefined) break;
        const blocks = (text + part.value).split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) {
          const data = /^event: step\ndata: (.*)$/m.exec(block)?.[1];
          if (data !== undefined) events.push(JSON.parse(data) as JsonObject);
        }
      }
      return events;
    },
  };
}

/** Files of a state directory that hold a text. */
export function holding(home: string, text: string): readonly string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() && readFileSync(path).includes(text) ? [path.slice(home.length + 1)] : [];
  });
}
