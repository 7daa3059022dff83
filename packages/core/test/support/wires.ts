// One provider per wire format, as the product builds it, all of them to the mock model.

import type { Provider } from "../../src/contract/provider.ts";
import type { WireKind } from "../../src/model/quirks.ts";
import type { MockModel } from "../../src/testing.ts";
import type { FakeClock } from "../../src/internal-testing.ts";
import { wireProvider } from "./wire-provider.ts";

type Connect = (model: Pick<MockModel, "url">, clock?: FakeClock) => Provider;

const connect =
  (api: WireKind): Connect =>
  (model, clock) =>
    wireProvider({
      api,
      url: model.url,
      id: "mock",
      key: "test-key",
      ...(clock !== undefined && { now: clock.now() }),
    });

export const chatProvider: Connect = connect("openai-chat");

export const WIRES: Readonly<Record<string, Connect>> = {
  "OpenAI Chat": chatProvider,
  "OpenAI Responses": connect("openai-responses"),
  "Anthropic Messages": connect("anthropic"),
  Gemini: connect("google"),
};
