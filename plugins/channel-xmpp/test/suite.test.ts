// What every channel is asked, of this one.
import { channelConformance } from "@margay/core/testing";
import { afterAll, test } from "vitest";
import { channelLoop } from "../../../packages/app/test/channels/loop-suite.ts";
import { channelProgram } from "../../../packages/app/test/channels/program-suite.ts";
import { channelModel } from "../../../packages/core/test/channels/model.ts";
import { endSuite, suite } from "./suite-peer.ts";

afterAll(endSuite);
channelConformance((name, body) => test(`xmpp ${name}`, body), suite);
channelModel((name, body) => test(`xmpp ${name}`, body, 120_000), suite);
channelProgram((name, body) => test(`xmpp ${name}`, body), suite);
channelLoop((name, body) => test(`xmpp ${name}`, body), suite);
