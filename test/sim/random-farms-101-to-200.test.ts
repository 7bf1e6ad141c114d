import { testRandomFarms } from './random-farms.ts';

testRandomFarms(101, 200);
