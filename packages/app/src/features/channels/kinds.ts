/** The kinds of channels there are, in words: what a set-up page shows. */
import type { JsonObject } from "@margay/core";

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
    guide: {
      en: "1. Choose a long random secret and give it to both sides.\n2. Enter the address that takes replies as signed POSTs.\n3. Enter a port if messages shall come in: `POST /webhook` on 127.0.0.1 with `x-margay-timestamp` and `x-margay-signature`.\n4. List the exact ids of senders who may write.",
      zh: "1. 选择一个足够长的随机密钥，双方各存一份。\n2. 填写接收回复的地址，回复以签名的 POST 发送。\n3. 如需接收消息，填写端口：向 127.0.0.1 的 `POST /webhook` 发送，并带上 `x-margay-timestamp` 与 `x-margay-signature`。\n4. 列出允许写入的发送者的准确 id。",
    },
  },
];
