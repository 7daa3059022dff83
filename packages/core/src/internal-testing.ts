/** What our own tests need of the testing kit. */
export type { Answer, Failure, Reply, Script } from "./testing/mock-llm/script.ts";
export {
  callsTools,
  cutsAfter,
  emptyAnswer,
  lengthStop,
  raw,
  refuses,
  stalls,
  thinks,
} from "./testing/mock-llm/script.ts";
export { directive } from "./testing/mock-llm/directive.ts";
export type { RecordedRequest } from "./testing/mock-llm/request.ts";
export type { FakeClock } from "./testing/fake-clock.ts";
export type { CrashPoint } from "./testing/crash.ts";
export type { RecordingChannel } from "./testing/recording-channel.ts";
export { cpuOf } from "./testing/cpu.ts";
export { COMPILED } from "./testing/compiled.ts";
export type {
  ChannelGap,
  ChannelPeer,
  ChannelSuite,
  PeerFault,
  PeerFile,
  PeerOptions,
  PeerPerson,
  PeerWriting,
} from "./testing/channel/peer.ts";
export { startCalled } from "./testing/channel/called.ts";
export { DEFAULT_SETTINGS } from "./loop/settings.ts";
