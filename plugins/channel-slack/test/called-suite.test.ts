// What every channel is asked, where Slack calls.
import { channelConformance } from "@margay/core/testing";
import { test } from "vitest";
import { channelModel } from "../../../packages/core/test/channels/model.ts";
import { calledSuite } from "./peer.ts";

channelConformance((name, body) => test(`slack by HTTP ${name}`, body), calledSuite);
channelModel((name, body) => test(`slack by HTTP ${name}`, body, 120_000), calledSuite);
