// A person sets it up on the page.
import { afterAll, test } from "vitest";
import { channelPage } from "../../../../packages/app/test/browser/channel-page.ts";
import { endSuite, suite } from "../suite-peer.ts";

afterAll(endSuite);
channelPage((name, body) => test(`email ${name}`, body), suite);
