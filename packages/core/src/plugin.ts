/**
 * What plugins are written against: types only. Everything else is handed to them by the host. The contracts are `provider/1`, `channel/1`,
 * `tool/1` and `hook/1`: each may grow by what a plugin need not have, and never changes otherwise. A store is no contract yet
 * (decision 0093): its types may change until there is one that is published.
 */
export type { Clock, Json, JsonObject, Logger } from "./contract/base.ts";
export type {
  Accepted,
  ChannelInbox,
  Edited,
  InboundMessage,
  Inbox,
  OutboundMessage,
  Pressed,
} from "./contract/bus.ts";
export type {
  Backfill,
  Channel,
  ChannelCan,
  ChannelHost,
  ChatLanes,
  CommandInfo,
  ChannelOptions,
  ChannelPlugin,
  LoginStep,
  ChannelState,
  Dialect,
  FaultOptions,
  LiveStream,
  OutboundPiece,
  SpokenPlace,
} from "./contract/channel.ts";
export type { ChannelFaultKind } from "./contract/record.ts";
export type { Address, ContentPart, MediaPart, Sender, SentFile } from "./contract/message.ts";
export type { PluginOptions, ProviderPlugin } from "./bridge/provider-plugin.ts";
export type { ModelEvent, ModelRequest, Provider } from "./contract/provider.ts";
export type { PluginEndpoint, ProviderHost } from "./bridge/plugin-host.ts";
export type {
  PluginCall,
  PluginCommand,
  PluginFiles,
  PluginPart,
  PluginRequest,
  PluginResponse,
  PluginResult,
  PluginTool,
  ToolPlugin,
  ToolPluginHost,
} from "./machine/plugins/tool-plugin.ts";
export type { Effect, Reach } from "./contract/tool.ts";
export type { HookAnswer, HookEvent, HookPlugin, HookPoint } from "./hooks/hook-plugin.ts";
export type { Ledger, Limit, SpentRequest } from "./contract/spending.ts";
export type {
  About,
  Appended,
  Blobs,
  Bus,
  Claim,
  Docs,
  Journal,
  Journals,
  Keys,
  Leases,
  Snapshot,
  Store,
  Work,
} from "./contract/store.ts";
