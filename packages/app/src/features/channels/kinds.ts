/** The kinds of channels there are, in words: what a set-up page shows. */
import type { Json, JsonObject } from "@margay/core";
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
  readonly typing?: "on" | "off";
  readonly ack?: string | null;
  readonly uncertain?: "again" | "ask";
  readonly quote?: "auto" | "off";
  readonly reactions?: "count" | "tell";
  readonly burstMs?: number;
  readonly backfillHours?: number;
  /** Of a file that comes in. */
  readonly media?: { readonly maxBytes: number };
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
        secret: { type: "string", minLength: 16, writeOnly: true, ...inWords("secret", "secretWhy") },
        options: {
          ...{ type: "object", title: en.ways, "x-zh-title": zh.ways },
          properties: {
            url: { type: "string", format: "uri", ...inWords("url", "urlWhy") },
            port: { type: "integer", minimum: 0, maximum: 65_535, ...inWords("port", "portWhy") },
          },
          additionalProperties: false,
        },
      },
      required: ["secret"],
    },
    guide: { en: en.webhook, zh: zh.webhook },
  },
];

/** As a manifest has it. */
function inWords(title: keyof typeof en, why: keyof typeof en): JsonObject {
  return { title: en[title], "x-zh-title": zh[title], description: en[why], "x-zh": zh[why] };
}

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
  "approvals",
  "names",
  "follow",
  "bots",
]);

/** A channel of which it is another starts anew. */
export function fingerprint(config: ChannelConfig): string {
  return JSON.stringify(Object.entries(config).filter(([name]) => !OF_EACH_MESSAGE.has(name)));
}
