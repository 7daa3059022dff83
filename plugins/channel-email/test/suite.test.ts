import { channelConformance } from "@margay/core/testing";
import { test } from "vitest";
import { suite } from "./suite-peer.ts";

channelConformance((name, body) => test(`email ${name}`, body), suite);
