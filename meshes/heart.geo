// Two ventricles, about as large as a rabbit's, in mm: walls of ellipsoids cut at z = 4. Made by Gmsh 4.15.2:
//   gmsh -3 -format msh22 heart.geo -o heart.msh
// The tissue is volume 1; surfaces: 1 base, 2 epicardium, 3 and 4 endocardium of the left and the right ventricle.
SetFactory("OpenCASCADE");
Mesh.MeshSizeMin = 1.2;
Mesh.MeshSizeMax = 1.2;
Mesh.OptimizeNetgen = 1;

// made = an ellipsoid about (x, 0, 0) of half axes a, b, c below z = 4
Macro Cut
  s = newv;
  Sphere(s) = {0, 0, 0, 1};
  Dilate {{0, 0, 0}, {a, b, c}} { Volume{s}; }
  Translate {x, 0, 0} { Volume{s}; }
  box = newv;
  Box(box) = {-60, -60, 4, 120, 120, 60};
  cut() = BooleanDifference{ Volume{s}; Delete; }{ Volume{box}; Delete; };
  made = cut(0);
Return

x = 0; a = 6.5; b = 6.5; c = 15;
Call Cut;
left_cavity = made;
a = 9.5; b = 9.5; c = 18;
Call Cut;
left = made;
a = 9.5; b = 9.5; c = 18;
Call Cut;
left_again = made;
x = 6; a = 9.5; b = 7.5; c = 12.5;
Call Cut;
right_cavity = made;
a = 11.2; b = 9.2; c = 14.2;
Call Cut;
right = made;
hollow() = BooleanDifference{ Volume{right_cavity}; Delete; }{ Volume{left_again}; Delete; };
whole() = BooleanUnion{ Volume{left}; Delete; }{ Volume{right}; Delete; };
tissue() = BooleanDifference{ Volume{whole()}; Delete; }{ Volume{left_cavity, hollow()}; Delete; };

// Boxes of spline surfaces are larger than these; the walls of the cavities still differ in how far they reach.
all() = Boundary{ Volume{tissue()}; };
base() = Surface In BoundingBox{-20, -20, 3.9, 20, 20, 4.1};
lv() = Surface In BoundingBox{-20, -20, -16, 7, 20, 20};
rv() = Surface In BoundingBox{-6, -20, -19, 16, 20, 20};
epi() = all();
epi() -= base();
epi() -= lv();
epi() -= rv();
Physical Volume(1) = {tissue()};
Physical Surface("base", 1) = {base()};
Physical Surface("epi", 2) = {epi()};
Physical Surface("lv", 3) = {lv()};
Physical Surface("rv", 4) = {rv()};
