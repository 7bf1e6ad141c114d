#version 3.7;
global_settings { assumed_gamma 1 }
#declare R = seed(3);
camera { location vrotate(<0,2.2,-6>, y*(frame_number*6-27)) look_at <0,0.4,0> angle 50 right x*4/3 }
plane { y,-0.5 pigment { cells scale 0.12 color_map { [0 rgb 0] [0.33 rgb <1,.3,.1>] [0.66 rgb <.1,.5,1>] [1 rgb 1] } } finish { emission 1 ambient 0 diffuse 0 } }
#declare I=0;
#while (I<9)
box { -0.5, 0.5 rotate y*rand(R)*90 scale 0.6+rand(R)*0.7 translate <rand(R)*4-2, 0.1, rand(R)*4-2>
  pigment { cells scale 0.05+rand(R)*0.05 color_map { [0 rgb 0] [0.5 rgb <rand(R),rand(R),rand(R)>] [1 rgb 1] } } finish { emission 1 ambient 0 diffuse 0 } }
#declare I=I+1;
#end
