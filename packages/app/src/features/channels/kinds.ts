/** The kinds of channels there are, in words: what a set-up page shows. */
import type { Json } from "@margay/core";
import type { ChannelCan } from "@margay/core/internal";
import type { LookOptions, PluginPlace } from "../../models/plugin-locate.ts";
import { type ChannelManifest, findPluginKind, pluginKinds, type PluginKind } from "../../models/channel-kinds.ts";
import { OUR_CHANNELS } from "../../config/channel-ids.ts";
import { shortName } from "../../models/known-plugins.ts";
import { en } from "./guides/guides.en.ts";
import { zh } from "./guides/guides.zh.ts";

export interface ChannelKind extends Omit<ChannelManifest, "contract"> {
  /** The plugin it is; absent for what is built in. */
  readonly place?: PluginPlace;
}

/** What a channel may look at of `channels.{id}`. */
export interface ChannelConfig {
  readonly enabled: boolean;
  readonly kind?: string;
  readonly token?: string;
  readonly secret?: string;
  readonly baseUrl?: string;
  readonly live?: "private" | "on" | "off";
  readonly uncertain?: "again" | "ask";
  readonly quote?: "auto" | "off";
  readonly reactions?: "count" | "tell";
  readonly burstMs?: number;
  readonly backfillHours?: number;
  readonly options?: Readonly<Record<string, Json>>;
}

/** Receivers take the idempotency key, and commonly a megabyte in one POST. */
export const WEBHOOK_CAN: ChannelCan = { once: "key", text: { dialect: "markdown", max: 100_000 } };

const BUILT_IN: readonly ChannelKind[] = [
  {
    kind: "webhook",
    title: "Webhook",
    needs: "webhook",
    can: WEBHOOK_CAN,
    account: [],
    schema: {
      type: "object",
      properties: {
        secret: {
          ...{ type: "string", minLength: 16, writeOnly: true },
          ...{ title: "Secret", "x-zh-title": "密钥" },
          description: "Signs both directions; 16 characters at least.",
          "x-zh": "为双向消息签名，至少 16 个字符。",
        },
        options: {
          ...{ type: "object", title: "Ways", "x-zh-title": "收发" },
          properties: {
            url: {
              ...{ type: "string", format: "uri", title: "Address for replies", "x-zh-title": "回复地址" },
              description: "Replies are posted there.",
              "x-zh": "回复发送到该地址。",
            },
            port: {
              ...{ type: "integer", minimum: 0, maximum: 65_535, title: "Port for messages", "x-zh-title": "接收端口" },
              description: "Messages come in there, on 127.0.0.1; 0 is any that is free.",
              "x-zh": "在 127.0.0.1 的该端口接收消息；0 表示任一空闲端口。",
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

/** Built in and installed, in this order. */
export function channelKinds(options: LookOptions): readonly ChannelKind[] {
  return [...BUILT_IN, ...pluginKinds(options).map(ofPlugin)];
}

/** Of those that we make: not installed, with the name that `margay plugin add` takes. */
export function absentKinds(options: LookOptions): readonly { kind: string; title: string; plugin: string }[] {
  return OUR_CHANNELS.filter(({ kind }) => findPluginKind(kind, options) === undefined).map(
    ({ kind, name, package: packageName }) => ({ kind, title: name, plugin: shortName(packageName) }),
  );
}

/** Undefined: no such kind is built in, and none is installed. */
export function findKind(kind: string, options: LookOptions): ChannelKind | undefined {
  const found = BUILT_IN.find((one) => one.kind === kind);
  if (found !== undefined) return found;
  const plugin = findPluginKind(kind, options);
  return plugin && ofPlugin(plugin);
}

function ofPlugin({ manifest: { contract: _contract, ...manifest }, place }: PluginKind): ChannelKind {
  return { ...manifest, place };
}

/** Asked for each message, and no reason to start anew. */
const OF_EACH_MESSAGE: ReadonlySet<string> = new Set([
  "allowFrom",
  "operators",
  "groups",
  "chats",
  "session",
  "names",
  "follow",
  "bots",
]);

/** A channel of which it is another starts anew. */
export function fingerprint(config: ChannelConfig): string {
  return JSON.stringify(Object.entries(config).filter(([name]) => !OF_EACH_MESSAGE.has(name)));
}
