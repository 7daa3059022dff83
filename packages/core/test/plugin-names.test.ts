import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** What plugins are written against, by contract: a name goes with the next number of its contract alone. */
const NAMES = {
  "provider/1": "Effect ModelEvent ModelRequest PluginEndpoint PluginOptions Provider ProviderHost ProviderPlugin",
  "tool/1":
    "PluginCall PluginCommand PluginFiles PluginPart PluginRequest PluginResponse PluginResult PluginTool Reach ToolPlugin ToolPluginHost",
  "hook/1": "HookAnswer HookEvent HookPlugin HookPoint",
  "channel/1": `Accepted Address Backfill Channel ChannelCan ChannelFaultKind ChannelHost ChannelInbox ChannelOptions ChannelPlugin
    ChannelState ChatLanes Clock CommandInfo ContentPart Dialect Edited FaultOptions InboundMessage Inbox Json JsonObject LiveStream
    Logger LoginStep MediaPart OutboundMessage OutboundPiece Pressed Sender SentFile SpokenPlace`,
  "no contract yet: a store (decision 0093)":
    "About Appended Blobs Bus Claim Docs Journal Journals Keys Leases Ledger Limit Snapshot SpentRequest Store Work",
};

test("PL5 @margay/core/plugin has types alone, and the names of its list", () => {
  const text = readFileSync(join(import.meta.dirname, "../src/plugin.ts"), "utf8");
  const code = text.replaceAll(/\/\*\*[\s\S]*?\*\//g, "");
  const found = [...code.matchAll(/export type \{([^}]*)\} from "[^"]+";/g)].flatMap(([, names = ""]) =>
    names.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()])),
  );
  expect(code.replaceAll(/export type \{[^}]*\} from "[^"]+";/g, "").trim()).toBe("");
  expect(found.toSorted()).toEqual(
    Object.values(NAMES)
      .flatMap((names) => names.split(/\s+/))
      .toSorted(),
  );
});
