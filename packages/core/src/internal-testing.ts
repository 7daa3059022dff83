/** What our own tests need of the testing kit. */
export type {
  Answer,
  CallOptions,
  Failure,
  Gate,
  RawReply,
  Reply,
  SayOptions,
  Script,
  ToolCallScript,
} from "./testing/mock-llm/script.ts";
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
export type { Directive } from "./testing/mock-llm/directive.ts";
export { directive, parseDirective } from "./testing/mock-llm/directive.ts";
export type { MockModelOptions } from "./testing/mock-llm/mock-model.ts";
export type { HeardAnswer, RecordedSpeech } from "./testing/mock-llm/recordings.ts";
export type { RecordedRequest } from "./testing/mock-llm/request.ts";
export type { Api, TokenUsage, WireMessage, WirePart } from "./testing/mock-llm/wire.ts";
export type { FakeClock } from "./testing/fake-clock.ts";
export type { CrashOutcome, CrashPoint, CrashRun } from "./testing/crash.ts";
export type { Place, Register } from "./testing/conformance.ts";
export type { ChannelPlace } from "./testing/channel-conformance.ts";
export type { Deliver, RecordingChannel } from "./testing/recording-channel.ts";
export type { ProviderPlace, ProviderTraits } from "./testing/provider-conformance.ts";
export { cpuOf } from "./testing/cpu.ts";
