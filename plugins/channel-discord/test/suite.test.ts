import { channelConformance } from "@margay/core/testing";
import { test } from "vitest";
import { suite } from "./peer.ts";

channelConformance((name, body) => test(`discord ${name}`, body), suite);
