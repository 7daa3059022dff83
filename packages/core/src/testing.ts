// `@margay/core/testing`: a scripted model, a clock that only moves when told, crashes on demand, conformance suites.
export { callsTool, fails, says } from "./testing/mock-llm/script.ts";
export type { MockModel } from "./testing/mock-llm/mock-model.ts";
export { startMockModel } from "./testing/mock-llm/mock-model.ts";
export { fakeClock } from "./testing/fake-clock.ts";
export { runUntilCrash } from "./testing/crash.ts";
export { storeConformance } from "./testing/whole-store-conformance.ts";
export { sessionStoreConformance } from "./testing/store-conformance.ts";
export { channelConformance } from "./testing/channel-conformance.ts";
export { recordingChannel } from "./testing/recording-channel.ts";
export { providerConformance } from "./testing/provider-conformance.ts";
export { toolConformance } from "./testing/tool-conformance.ts";
export { hookConformance } from "./testing/hook-conformance.ts";
