// channel/1 is frozen: what is written against it works as long as these types fit, which `npm run check` says.
import { expectTypeOf, test } from "vitest";
import type * as Now from "../../../src/plugin.ts";
import type * as Then from "./channel-1.d.ts";

test("what a plugin of channel/1 makes is what margay takes", () => {
  expectTypeOf<Then.ChannelPlugin>().toExtend<Now.ChannelPlugin>();
  expectTypeOf<Then.Channel>().toExtend<Now.Channel>();
  expectTypeOf<Then.ChannelCan>().toExtend<Now.ChannelCan>();
  expectTypeOf<Then.LoginStep>().toExtend<Now.LoginStep>();
  expectTypeOf<Then.LiveStream>().toExtend<Now.LiveStream>();
  // Methods are not looked at as strictly as what they are given: that is named here.
  expectTypeOf<Then.InboundMessage>().toExtend<Now.InboundMessage>();
  expectTypeOf<Then.Edited>().toExtend<Now.Edited>();
  expectTypeOf<Then.Pressed>().toExtend<Now.Pressed>();
  expectTypeOf<Then.SentFile>().toExtend<Now.SentFile>();
  expectTypeOf<Then.FaultOptions>().toExtend<Now.FaultOptions>();
  expectTypeOf<Then.ChannelFaultKind>().toExtend<Now.ChannelFaultKind>();
});

test("what margay gives is what a plugin of channel/1 knows", () => {
  expectTypeOf<Now.ChannelHost>().toExtend<Then.ChannelHost>();
  expectTypeOf<Now.ChannelInbox>().toExtend<Then.ChannelInbox>();
  expectTypeOf<Now.ChannelOptions>().toExtend<Then.ChannelOptions>();
  expectTypeOf<Now.ChannelState>().toExtend<Then.ChannelState>();
  expectTypeOf<Now.ChatLanes>().toExtend<Then.ChatLanes>();
  expectTypeOf<Now.OutboundPiece>().toExtend<Then.OutboundPiece>();
  expectTypeOf<Now.CommandInfo>().toExtend<Then.CommandInfo>();
  expectTypeOf<Now.Address>().toExtend<Then.Address>();
  expectTypeOf<Now.Clock>().toExtend<Then.Clock>();
  expectTypeOf<Now.Logger>().toExtend<Then.Logger>();
});
