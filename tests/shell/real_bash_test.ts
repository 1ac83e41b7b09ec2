import { testCanonicalScripts, testRandomTexts, testScripts } from "../support/real_bash.ts";

testScripts(100);
testCanonicalScripts(100);
testRandomTexts(1000);
