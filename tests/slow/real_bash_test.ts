import { testCanonicalScripts, testScripts } from "../support/real_bash.ts";

testScripts(10_000);
testCanonicalScripts(10_000);
