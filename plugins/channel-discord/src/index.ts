/** Discord as a channel of margay. */
export type { ChannelPlugin } from "@margay/core/plugin";
