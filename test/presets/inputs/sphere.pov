#version 3.7;
global_settings { assumed_gamma 1 }
camera { location <0, 1, -4> look_at 0 }
light_source { <3, 5, -5> rgb 1 }
plane { y, -1 pigment { checker rgb 1 rgb 0.2 } }
sphere { <2 * clock - 1, 0, 0>, 0.8 pigment { rgb <1, clock, 0> } }
