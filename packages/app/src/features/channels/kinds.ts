/** The kinds of channels there are, in words: what a set-up page shows. */
import type { JsonObject } from "@margay/core";
import { en } from "./guides.en.ts";
import { zh } from "./guides.zh.ts";

export interface ChannelKind {
  readonly kind: string;
  readonly title: string;
  /** How messages reach it: asked for, by an open connection, or by a call to us. */
  readonly needs: "poll" | "socket" | "webhook";
  /** It is set up by a code that a phone reads. */
  readonly qr: boolean;
  readonly can: {
    readonly edit: boolean;
    readonly buttons: boolean;
    readonly media: boolean;
    readonly maxChars: number;
  };
  /** Which fields of `channels.{id}` it uses, as JSON Schema. */
  readonly schema: JsonObject;
  readonly guide: { readonly en: string; readonly zh: string };
}

export const CHANNEL_KINDS: readonly ChannelKind[] = [
  {
    kind: "webhook",
    title: "Webhook",
    needs: "webhook",
    qr: false,
    can: { edit: false, buttons: false, media: false, maxChars: 100_000 },
    schema: {
      type: "object",
      properties: {
        secret: { type: "string", minLength: 16, writeOnly: true, description: "Signs both directions." },
        options: {
          type: "object",
          properties: {
            url: { type: "string", format: "uri", description: "Where replies are posted." },
            port: {
              type: "integer",
              minimum: 0,
              maximum: 65_535,
              description: "Where messages come in, on 127.0.0.1.",
            },
          },
          additionalProperties: false,
        },
      },
      required: ["secret"],
    },
    guide: { en: en.webhook, zh: zh.webhook },
  },
];
