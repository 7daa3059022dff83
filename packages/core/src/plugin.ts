/** What a channel plugin is written against: types only. Everything else is handed to it by the host. */
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
