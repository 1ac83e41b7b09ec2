import { testStreams } from "../support/stream_fuzz.ts";

testStreams(40);
